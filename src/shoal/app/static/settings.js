// The settings form: every change is sent to the server, so that it can be undone and survives a reload.
import { allAnswered, enqueue, find, isSending, post, pressedButtons, reportNoAnswer, showMessage } from "./common.js";

const settings = find("settings");
const roleSelects = () => [...settings.querySelectorAll("select[name^='role:']")];
const roleSelectOf = (column) => settings.querySelector(`[name='role:${column}']`);
const nameOf = (column) => settings.querySelector(`tr[data-column='${column}']`).dataset.name;

// Show the fields of the chosen step, method, effort and kinds.
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
  if (isLeaving) return;
  enqueue(async () => {
    const answer = await post("settings", new URLSearchParams(new FormData(settings)));
    if (!answer) return;
    find("undo").disabled = !answer.undo;
    find("redo").disabled = !answer.redo;
  });
};

// A form is submitted only after every change has been saved: otherwise its revision would be out of
// date, or the changes would come too late.
let isLeaving = false;
const submitWhenSaved = async (event) => {
  const { target, submitter } = event;
  const isRepeated = isLeaving || pressedButtons.has(submitter);
  if (target.matches("[data-quiet]") || !(isRepeated || isSending())) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (isRepeated) return;
  pressedButtons.add(submitter);
  await allAnswered();
  pressedButtons.delete(submitter);
  const button = find(submitter?.id) ?? submitter; // its part of the page may have been replaced
  (button?.form ?? target).requestSubmit(button);
};

// The pickers of persons, households, weights and strata show and change the roles of columns.
const showRoles = () => {
  const roleByColumn = Object.fromEntries(roleSelects().map((select) => [select.name.slice(5), select.value]));
  const columns = Object.keys(roleByColumn);
  const first = (role) => columns.find((column) => roleByColumn[column] === role);
  find("pick-weight").value = first("weight") ?? "";
  const unit = first("unit");
  const household = first("household");
  const { value } = settings.querySelector("[name=counts]");
  find("counts").value = unit ? `unit:${unit}` : household ? `household:${household}` : value;
  const strata = columns.filter((column) => roleByColumn[column] === "stratum");
  const chips = strata.map((column) => {
    const chip = document.createElement("button");
    chip.type = "button";
    chip.dataset.stratum = column;
    chip.textContent = `${nameOf(column)} ×`;
    chip.setAttribute("aria-label", `${nameOf(column)} ×, remove from the columns that split the groups`);
    return chip;
  });
  find("strata").replaceChildren(...chips);
};
const setRole = (column, role) => {
  const select = roleSelectOf(column);
  if (select) select.value = role;
};
const setOnlyRole = (role, column) => {
  for (const select of roleSelects()) if (select.value === role) select.value = "";
  if (column) setRole(column, role);
};

// The bar at the bottom sums up what Run will do; the field of k says what k counts.
const COUNTED = { unit: "persons or firms", household: "households" };
const updateSummary = () => {
  const counted = COUNTED[find("counts").value.split(":")[0]] ?? "records";
  for (const word of settings.querySelectorAll("[data-counted]")) word.textContent = counted;
  const masked = roleSelects().filter((select) => select.value === "quasi-identifier").length;
  const undecided = roleSelects().filter((select) => !select.value).length;
  const step = find("step").selectedOptions[0].textContent;
  const k = find("k").closest("[hidden]") ? "" : find("k").value.trim() ? `k = ${find("k").value.trim()}` : "k is not filled in";
  const columns = `${masked} column${masked === 1 ? "" : "s"} masked`;
  const withoutRole = undecided ? `${undecided} not decided` : "";
  find("bar-words").textContent = [step, k, columns, withoutRole].filter(Boolean).join(" · ");
};

// The filter of columns.
const rows = () => [...settings.querySelectorAll("tr[data-column]")];
const filterColumns = () => {
  const text = find("filter").value.trim().toLowerCase();
  const role = find("filter-role").value;
  let shownCount = 0;
  for (const row of rows()) {
    const { column, name } = row.dataset;
    const isShown = name.toLowerCase().includes(text) && (role === "any" || roleSelectOf(column).value === role);
    row.hidden = !isShown;
    const isExpanded = row.querySelector("[data-details]").getAttribute("aria-expanded") === "true";
    find(`details-${column}`).hidden = !(isShown && isExpanded);
    shownCount += isShown;
  }
  find("shown-count").textContent = shownCount;
  find("apply-bulk").disabled = !shownCount;
};

// The details of a column are loaded when they are opened.
const toggleDetails = async (button) => {
  const column = button.dataset.details;
  const row = find(`details-${column}`);
  const cell = row.firstElementChild;
  if (!cell.childElementCount) {
    if (pressedButtons.has(button)) return undefined;
    pressedButtons.add(button);
    const answer = await fetch(`columns/${column}`).catch(() => null);
    const text = answer?.ok && (await answer.text().catch(() => ""));
    pressedButtons.delete(button);
    if (!text) return reportNoAnswer();
    cell.innerHTML = text; // escaped by the server
  }
  row.hidden = !row.hidden;
  button.setAttribute("aria-expanded", String(!row.hidden));
  if (!row.hidden) cell.querySelector("select, input").focus();
  return undefined;
};

const loadLevels = async (column, file) => {
  const answer = await fetch(`columns/${column}/hierarchy`, {
    method: "POST", body: file, headers: { "X-File-Name": encodeURIComponent(file.name) },
  }).catch(() => null);
  const content = await answer?.json().catch(() => null);
  if (!content) return showMessage("The file could not be loaded. It may be too large.");
  find(`loaded:${column}`).textContent = content.description ?? content.message;
  if (!answer.ok) return showMessage(content.message);
  showMessage("");
  settings.querySelector(`[name='hierarchy:${column}']`).value = content.key;
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
      const [role, column] = field.value.split(":");
      setOnlyRole("unit");
      setOnlyRole("household");
      if (column) setRole(column, role);
      settings.querySelector("[name=counts]").value = column ? "" : field.value;
    }
    if (field.dataset.stepColumn) {
      const checked = [...settings.querySelectorAll("[data-step-column]:checked")];
      settings.querySelector("[name=step_columns]").value = checked.map((box) => box.dataset.stepColumn).join(" ");
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
    isLeaving ||= !event.defaultPrevented;
  });
  addEventListener("pageshow", () => {
    isLeaving = false; // the page is shown again by the button Back
  });
  addEventListener("beforeunload", (event) => {
    if (isSending()) event.preventDefault(); // the browser asks before changes are lost
  });
  find("filter").addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  showRelevantFields(); // browsers may keep the values of fields when a page is reloaded
  filterColumns();
  showRoles();
  updateSummary();
}
