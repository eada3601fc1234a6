// Runs: starting them, their progress, the table and the map that compare them.
import { announce, enqueue, find, post, pressed, reportNoAnswer } from "./common.js";

const RHYTHM = 500; // milliseconds between two looks at the progress
const list = find("runs");

const showProgress = (work, element) => {
  const bar = element.querySelector("progress");
  if (!bar) {
    // it waits
  } else if (work.total > 0) {
    bar.max = work.total;
    bar.value = work.done;
  } else {
    bar.removeAttribute("value");
  }
  const share = work.total > 0 ? ` · ${Math.floor((100 * work.done) / work.total)}\u00a0%` : "";
  const words = (work.stage || work.state) + share;
  const line = element.querySelector("span");
  if (line.textContent !== words) line.textContent = words;
};

// Replace only what has changed, so that focus, open details and the position of the page stay.
const shown = new Map();
const parts = (root) => new Map([...root.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
let turn = 0;
const refreshRuns = async () => {
  const mine = ++turn;
  const answer = await fetch("runs");
  if (!answer.ok) throw new Error();
  const text = await answer.text();
  if (mine !== turn) return; // a newer answer is on its way, or was faster
  const holder = document.createElement("template");
  holder.innerHTML = text; // escaped by the server; scripts in it would not run
  const focused = document.activeElement;
  const part = focused?.closest("#runs [data-part]")?.dataset.part;
  const id = focused?.id;
  const before = parts(list);
  let previous = null;
  for (const [name, fresh] of parts(holder.content)) {
    const html = fresh.outerHTML;
    let element = before.get(name);
    before.delete(name);
    if (!element || shown.get(name) !== html) {
      for (const details of element?.querySelectorAll("details[id]") ?? []) {
        const same = fresh.querySelector(`[id='${details.id}']`);
        if (same) same.open = details.open;
      }
      if (element) element.replaceWith(fresh);
      element = fresh;
      shown.set(name, html);
    }
    if (previous) previous.after(element);
    else list.prepend(element);
    previous = element;
  }
  for (const [name, old] of before) {
    old.remove();
    shown.delete(name);
  }
  if (part && document.activeElement === document.body) {
    (find(id) ?? find(part) ?? find("run")).focus({ preventScroll: true });
  }
  sortTable();
};

// The table is sorted as its headings say, also after a run has been added.
let order = { key: "", down: false };
const sortTable = () => {
  const table = find("compared");
  if (!table || !order.key) return;
  const heads = [...table.tHead.rows[0].cells];
  const at = heads.findIndex((head) => head.dataset.key === order.key);
  heads.forEach((head, index) => {
    if (index === at) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  const value = (row) => (row.cells[at].dataset.sort === "inf" ? Infinity : Number(row.cells[at].dataset.sort));
  const rows = [...table.tBodies[0].rows].sort((a, b) => (order.down ? value(b) - value(a) : value(a) - value(b)));
  table.tBodies[0].append(...rows);
};

// A point of the map and its row light up together; a click on the point leads to the run.
const highlight = (target, on) => {
  const number = target.closest?.("circle[data-run]")?.dataset.run ?? target.closest?.("tr[data-row]")?.dataset.row;
  if (!number) return;
  for (const one of list.querySelectorAll(`circle[data-run='${number}'], tr[data-row='${number}']`)) one.classList.toggle("lit", on);
};

// Progress is asked for while something is under way, and once more at the end.
let states = new Map();
let watching = false;
const isBusy = () => Boolean(find("reading") || document.querySelector("[data-under-way]"));
const pollState = async () => {
  const reading = find("reading");
  watching = true;
  const busy = isBusy();
  try {
    const answer = await fetch("state");
    if (!answer.ok) throw new Error();
    const state = await answer.json();
    if (reading) {
      if (!state.reading) return location.reload();
      showProgress(state.file, reading);
    } else {
      const changed = state.runs.filter((run) => states.get(run.number) !== run.state);
      if (changed.length || states.size !== state.runs.length) await refreshRuns();
      const spoken = changed.filter((run) => run.state !== "waiting").map((run) => run.says);
      if (spoken.length) announce(spoken.join(" "));
      states = new Map(state.runs.map((run) => [run.number, run.state]));
      for (const run of state.runs) {
        const card = find(`run-${run.number}`)?.closest("article").querySelector(".progress");
        if (card) showProgress(run, card);
      }
      showBar(state.runs);
    }
  } catch {
    reportNoAnswer();
  }
  watching = busy || isBusy();
  if (watching) setTimeout(pollState, RHYTHM);
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
  if (!watching) return pollState();
  return undefined;
};

if (list) {
  for (const [name, part] of parts(list)) shown.set(name, part.outerHTML);
  for (const card of list.querySelectorAll("article")) {
    const state = ["done", "failed", "cancelled"].find((one) => card.classList.contains(one));
    if (state) states.set(Number(card.dataset.part.slice(4)), state); // old news is not spoken
  }
  list.addEventListener("mouseover", (event) => highlight(event.target, true));
  list.addEventListener("mouseout", (event) => highlight(event.target, false));
  list.addEventListener("click", (event) => {
    const head = event.target.closest("th[data-key]");
    if (head) {
      order = { key: head.dataset.key, down: order.key === head.dataset.key && !order.down };
      sortTable();
    }
    const point = event.target.closest("circle[data-run]");
    const heading = point && find(`run-${point.dataset.run}`);
    if (heading) {
      heading.scrollIntoView({ block: "start" });
      heading.focus({ preventScroll: true });
    }
  });
  list.addEventListener("submit", async (event) => {
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
    pressed.add(event.submitter);
    const answer = await enqueue(() => post("run", new URLSearchParams(new FormData(find("settings")))));
    pressed.delete(event.submitter);
    if (!answer || answer.message) return;
    find("undo").disabled = !answer.undo;
    find("redo").disabled = !answer.redo;
    await refreshRuns().catch(reportNoAnswer);
    list.scrollIntoView({ block: "nearest" });
    startPolling();
  });
}
if (isBusy()) pollState();
