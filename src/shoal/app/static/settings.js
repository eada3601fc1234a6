// What stands in the form is kept with every change, so that it can be undone and survives a reload.
import { allAnswered, enqueue, find, isSending, post, pressed, reportNoAnswer, showMessage } from "./common.js";

const settings = find("settings");
const roles = () => [...settings.querySelectorAll("select[name^='role:']")];
const roleOf = (at) => settings.querySelector(`[name='role:${at}']`);
const nameOf = (at) => settings.querySelector(`tr[data-column='${at}']`).dataset.name;

// Show what belongs to the chosen step, method, effort and kinds.
const showRelevantFields = () => {
  for (const part of settings.querySelectorAll("[data-for]")) {
    const chosen = find(part.dataset.for)?.value ?? "";
    part.hidden = !part.dataset.value.split(" ").includes(chosen);
  }
};

const saveSettings = () => {
  showRelevantFields();
  showRoles();
  updateSummary();
  if (leaving) return;
  enqueue(async () => {
    const answer = await post("settings", new URLSearchParams(new FormData(settings)));
    if (!answer) return;
    find("undo").disabled = !answer.undo;
    find("redo").disabled = !answer.redo;
  });
};

// A form leaves the page when every change has been kept: its revision would be an old one before
// that, and a change would be refused after it.
let leaving = false;
const submitWhenSaved = async (event) => {
  const { target, submitter } = event;
  const again = leaving || pressed.has(submitter);
  if (target.matches("[data-quiet]") || !(again || isSending())) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (again) return;
  pressed.add(submitter);
  await allAnswered();
  pressed.delete(submitter);
  const button = find(submitter?.id) ?? submitter; // its part of the page may have been replaced
  (button?.form ?? target).requestSubmit(button);
};

// The pickers of persons, households, weights and strata show and change the roles of columns.
const showRoles = () => {
  const held = Object.fromEntries(roles().map((select) => [select.name.slice(5), select.value]));
  const first = (role) => Object.keys(held).find((at) => held[at] === role);
  find("pick-weight").value = first("weight") ?? "";
  const unit = first("unit");
  const household = first("household");
  const hidden = settings.querySelector("[name=counts]");
  find("counts").value = unit ? `unit:${unit}` : household ? `household:${household}` : hidden.value;
  const chips = Object.keys(held).filter((at) => held[at] === "stratum").map((at) => {
    const chip = document.createElement("button");
    chip.type = "button";
    chip.dataset.stratum = at;
    chip.textContent = `${nameOf(at)} ×`;
    chip.setAttribute("aria-label", `${nameOf(at)} ×, remove from the columns that split the groups`);
    return chip;
  });
  find("strata").replaceChildren(...chips);
};
const setRole = (at, role) => {
  if (roleOf(at)) roleOf(at).value = role;
};
const setOnlyRole = (role, at) => {
  for (const select of roles()) if (select.value === role) select.value = "";
  if (at) setRole(at, role);
};

// What the bar at the bottom says: what Run will do; and what the field of k says that k counts.
const COUNTED = { unit: "persons or firms", household: "households" };
const updateSummary = () => {
  const counted = COUNTED[find("counts").value.split(":")[0]] ?? "records";
  for (const word of settings.querySelectorAll("[data-counted]")) word.textContent = counted;
  const masked = roles().filter((select) => select.value === "quasi-identifier").length;
  const undecided = roles().filter((select) => !select.value).length;
  const step = find("what").selectedOptions[0].textContent;
  const k = find("k").closest("[hidden]") ? "" : find("k").value.trim() ? `k = ${find("k").value.trim()}` : "k is not filled in";
  const columns = `${masked} column${masked === 1 ? "" : "s"} masked`;
  const open = undecided ? `${undecided} not decided` : "";
  find("bar-words").textContent = [step, k, columns, open].filter(Boolean).join(" · ");
};

// Filter, and one role for all columns that are shown.
const rows = () => [...settings.querySelectorAll("tr[data-column]")];
const filterColumns = () => {
  const text = find("filter").value.trim().toLowerCase();
  const role = find("filter-role").value;
  let shown = 0;
  for (const row of rows()) {
    const fits = row.dataset.name.toLowerCase().includes(text) && (role === "any" || roleOf(row.dataset.column).value === role);
    row.hidden = !fits;
    const opened = row.querySelector("[data-details]").getAttribute("aria-expanded") === "true";
    find(`details-${row.dataset.column}`).hidden = !(fits && opened);
    shown += fits;
  }
  find("shown-count").textContent = shown;
  find("apply-bulk").disabled = !shown;
};

// The details of a column are loaded when they are opened.
const toggleDetails = async (button) => {
  const at = button.dataset.details;
  const row = find(`details-${at}`);
  const cell = row.firstElementChild;
  if (!cell.childElementCount) {
    if (pressed.has(button)) return undefined;
    pressed.add(button);
    const answer = await fetch(`columns/${at}`).catch(() => null);
    const text = answer?.ok && (await answer.text().catch(() => ""));
    pressed.delete(button);
    if (!text) return reportNoAnswer();
    cell.innerHTML = text; // escaped by the server
  }
  row.hidden = !row.hidden;
  button.setAttribute("aria-expanded", String(!row.hidden));
  if (!row.hidden) cell.querySelector("select, input").focus();
  return undefined;
};

const loadLevels = async (at, file) => {
  const answer = await fetch(`columns/${at}/hierarchy`, {
    method: "POST", body: file, headers: { "X-File-Name": encodeURIComponent(file.name) },
  }).catch(() => null);
  const content = await answer?.json().catch(() => null);
  if (!content) return showMessage("The file could not be loaded. It may be too large.");
  find(`loaded:${at}`).textContent = content.description ?? content.message;
  if (!answer.ok) return showMessage(content.message);
  showMessage("");
  settings.querySelector(`[name='hierarchy:${at}']`).value = content.key;
  saveSettings();
};

if (settings) {
  settings.addEventListener("change", (event) => {
    const field = event.target;
    if (field.id === "filter" || field.id === "filter-role" || field.id === "bulk") return;
    if (field.dataset.hierarchy) {
      const file = field.files[0];
      return file && enqueue(() => loadLevels(field.dataset.hierarchy, file));
    }
    if (field.dataset.levels) settings.querySelector(`[name='levels:${field.dataset.levels}']`).value = field.value;
    if (field.id === "pick-weight") setOnlyRole("weight", field.value);
    if (field.id === "add-stratum" && field.value) {
      setRole(field.value, "stratum");
      field.value = "";
    }
    if (field.id === "counts") {
      const [role, at] = field.value.split(":");
      setOnlyRole("unit");
      setOnlyRole("household");
      if (at) setRole(at, role);
      settings.querySelector("[name=counts]").value = at ? "" : field.value;
    }
    if (field.dataset.of) {
      const chosen = [...settings.querySelectorAll("[data-of]:checked")].map((box) => box.dataset.of);
      settings.querySelector("[name=of]").value = chosen.join(" ");
    }
    saveSettings();
  });
  settings.addEventListener("input", (event) => {
    if (event.target.id === "filter" || event.target.id === "filter-role") filterColumns();
    if (event.target.id === "k") updateSummary();
  });
  settings.addEventListener("click", (event) => {
    const details = event.target.closest("[data-details]");
    if (details) toggleDetails(details);
    const chip = event.target.closest("[data-stratum]");
    if (chip) {
      setRole(chip.dataset.stratum, "quasi-identifier");
      find("add-stratum").focus();
      saveSettings();
    }
    if (event.target.id === "apply-bulk") {
      for (const row of rows()) if (!row.hidden) setRole(row.dataset.column, find("bulk").value);
      filterColumns();
      saveSettings();
    }
  });
  document.addEventListener("submit", submitWhenSaved, { capture: true });
  addEventListener("submit", (event) => {
    leaving ||= !event.defaultPrevented;
  });
  addEventListener("pageshow", () => {
    leaving = false; // somebody came back
  });
  addEventListener("beforeunload", (event) => {
    if (isSending()) event.preventDefault(); // the browser asks before changes are lost
  });
  find("filter").addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  showRelevantFields(); // a browser may have kept values over a reload
  filterColumns();
  showRoles();
  updateSummary();
}
