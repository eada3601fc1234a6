// Runs: starting them, their progress, the table and the map that compare them.
import { announce, enqueue, find, post, pressedButtons, reportNoAnswer } from "./common.js";

const POLL_INTERVAL = 500; // milliseconds
const runsSection = find("runs");

const showProgress = (task, element) => {
  const bar = element.querySelector("progress");
  if (!bar) {
    // a waiting run has no bar
  } else if (task.total > 0) {
    bar.max = task.total;
    bar.value = task.done;
  } else {
    bar.removeAttribute("value");
  }
  const share = task.total > 0 ? ` · ${Math.floor((100 * task.done) / task.total)}\u00a0%` : "";
  const text = (task.stage || task.state) + share;
  const line = element.querySelector("span");
  if (line.textContent !== text) line.textContent = text;
};

// Replace only the parts that have changed, so that focus, open details and scroll position stay.
const shownHtml = new Map();
const partsByName = (root) => new Map([...root.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
let refreshCount = 0;
const refreshRuns = async () => {
  const refresh = ++refreshCount;
  const answer = await fetch("runs");
  if (!answer.ok) throw new Error();
  const text = await answer.text();
  if (refresh !== refreshCount) return; // a later refresh has begun
  const holder = document.createElement("template");
  holder.innerHTML = text; // escaped by the server; scripts in it would not run
  const focused = document.activeElement;
  const focusedPart = focused?.closest("#runs [data-part]")?.dataset.part;
  const focusedId = focused?.id;
  const oldParts = partsByName(runsSection);
  let previous = null;
  for (const [name, newPart] of partsByName(holder.content)) {
    const html = newPart.outerHTML;
    let part = oldParts.get(name);
    oldParts.delete(name);
    if (!part || shownHtml.get(name) !== html) {
      for (const details of part?.querySelectorAll("details[id]") ?? []) {
        const newDetails = newPart.querySelector(`[id='${details.id}']`);
        if (newDetails) newDetails.open = details.open;
      }
      if (part) part.replaceWith(newPart);
      part = newPart;
      shownHtml.set(name, html);
    }
    if (previous) previous.after(part);
    else runsSection.prepend(part);
    previous = part;
  }
  for (const [name, part] of oldParts) {
    part.remove();
    shownHtml.delete(name);
  }
  if (focusedPart && document.activeElement === document.body) {
    (find(focusedId) ?? find(focusedPart) ?? find("run")).focus({ preventScroll: true });
  }
  sortTable();
};

// The chosen order of the table stays when a run is added.
let order = { key: "", descending: false };
const sortTable = () => {
  const table = find("compared");
  if (!table || !order.key) return;
  const headings = [...table.tHead.rows[0].cells];
  const column = headings.findIndex((heading) => heading.dataset.key === order.key);
  headings.forEach((heading, index) => {
    if (index === column) heading.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
    else heading.removeAttribute("aria-sort");
  });
  const value = (row) => (row.cells[column].dataset.sort === "inf" ? Infinity : Number(row.cells[column].dataset.sort));
  const sign = order.descending ? -1 : 1;
  const rows = [...table.tBodies[0].rows].sort((a, b) => sign * (value(a) - value(b)));
  table.tBodies[0].append(...rows);
};

// A point of the map and its row are highlighted together.
const highlight = (target, isOn) => {
  const number = target.closest?.("circle[data-run]")?.dataset.run ?? target.closest?.("tr[data-row]")?.dataset.row;
  if (!number) return;
  const elements = runsSection.querySelectorAll(`circle[data-run='${number}'], tr[data-row='${number}']`);
  for (const element of elements) element.classList.toggle("lit", isOn);
};

// The page polls while a task is under way, and once more at the end.
let stateByRun = new Map();
let isPolling = false;
const isBusy = () => Boolean(find("reading") || document.querySelector("[data-under-way]"));
const pollState = async () => {
  const reading = find("reading");
  isPolling = true;
  const wasBusy = isBusy();
  try {
    const answer = await fetch("state");
    if (!answer.ok) throw new Error();
    const state = await answer.json();
    if (reading) {
      if (!state.reading) return location.reload();
      showProgress(state.file, reading);
    } else {
      const changed = state.runs.filter((run) => stateByRun.get(run.number) !== run.state);
      if (changed.length || stateByRun.size !== state.runs.length) await refreshRuns();
      const sentences = changed.filter((run) => run.state !== "waiting").map((run) => run.announcement);
      if (sentences.length) announce(sentences.join(" "));
      stateByRun = new Map(state.runs.map((run) => [run.number, run.state]));
      for (const run of state.runs) {
        const progress = find(`run-${run.number}`)?.closest("article").querySelector(".progress");
        if (progress) showProgress(run, progress);
      }
      showBar(state.runs);
    }
  } catch {
    reportNoAnswer();
  }
  isPolling = wasBusy || isBusy();
  if (isPolling) setTimeout(pollState, POLL_INTERVAL);
  return undefined;
};

const showBar = (runs) => {
  const current = runs.find((run) => run.state === "running") ?? runs.find((run) => run.state === "waiting");
  find("bar-progress").hidden = !current;
  if (!current) return;
  const waiting = runs.filter((run) => run.state === "waiting" && run !== current).length;
  const queue = waiting ? ` · ${waiting} more waiting` : "";
  showProgress({ ...current, stage: `Run ${current.number}: ${current.stage || current.state}${queue}` }, find("bar-progress"));
};

const startPolling = () => {
  if (!isPolling) return pollState();
  return undefined;
};

if (runsSection) {
  for (const [name, part] of partsByName(runsSection)) shownHtml.set(name, part.outerHTML);
  for (const article of runsSection.querySelectorAll("article")) {
    const state = ["done", "failed", "cancelled"].find((name) => article.classList.contains(name));
    if (state) stateByRun.set(Number(article.dataset.part.slice(4)), state); // already ended: not announced
  }
  runsSection.addEventListener("mouseover", (event) => highlight(event.target, true));
  runsSection.addEventListener("mouseout", (event) => highlight(event.target, false));
  runsSection.addEventListener("click", (event) => {
    const heading = event.target.closest("th[data-key]");
    if (heading) {
      const { key } = heading.dataset;
      order = { key, descending: order.key === key && !order.descending };
      sortTable();
    }
    const point = event.target.closest("circle[data-run]");
    const title = point && find(`run-${point.dataset.run}`);
    if (title) {
      title.scrollIntoView({ block: "start" });
      title.focus({ preventScroll: true });
    }
  });
  runsSection.addEventListener("submit", async (event) => {
    const form = event.target.closest("[data-quiet]");
    if (!form) return;
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form));
    const answer = await enqueue(() => post(form.action, fields));
    if (!answer) return;
    await refreshRuns().catch(reportNoAnswer);
    startPolling();
  });
  find("settings").addEventListener("submit", async (event) => {
    if (event.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    pressedButtons.add(event.submitter);
    const answer = await enqueue(() => post("run", new URLSearchParams(new FormData(find("settings")))));
    pressedButtons.delete(event.submitter);
    if (!answer || answer.message) return;
    find("undo").disabled = !answer.undo;
    find("redo").disabled = !answer.redo;
    await refreshRuns().catch(reportNoAnswer);
    runsSection.scrollIntoView({ block: "nearest" });
    startPolling();
  });
}
if (isBusy()) pollState();
