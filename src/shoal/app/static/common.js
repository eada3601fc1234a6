// What all parts of the page share: messages, what is spoken, requests, and questions before the end.

export const find = (id) => document.getElementById(id);

export const showMessage = (text) => {
  find("message").textContent = text;
  find("message").hidden = !text;
  if (text) find("message").scrollIntoView({ block: "center" });
};

// Spoken by screen readers; the text changes only where something has happened.
export const announce = (text) => {
  find("live").textContent = text;
};

export const reportNoAnswer = () => showMessage("The server does not answer. Has Shoal ended, or this session?");

// Forms and the script send what they were shown, so that the server notices changes of other tabs.
export const storeRevision = (revision) => {
  if (revision === undefined) return;
  for (const field of document.querySelectorAll("[name=revision]")) field.value = revision;
  const drop = find("drop");
  if (drop) drop.dataset.revision = revision;
};

// Changes are sent one after the other: each with the revision that the answer before has brought.
let sent = 0; // and not answered yet
let last = Promise.resolve();
export const isSending = () => sent > 0;
export const enqueue = (task) => {
  sent += 1;
  document.documentElement.dataset.sending = "";
  const answer = last.then(task);
  last = answer.catch(reportNoAnswer).then(() => {
    sent -= 1;
    if (!sent) delete document.documentElement.dataset.sending;
  });
  return answer;
};
export const allAnswered = async () => {
  while (sent) await last;
};
export const pressed = new Set(); // buttons of forms that are being sent: a second click does nothing

// Send a form without leaving the page; return what the server answers, or nothing.
export const post = async (address, body = null) => {
  let answer;
  try {
    answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
  } catch {
    reportNoAnswer();
    return null;
  }
  let content;
  try {
    content = await answer.json();
  } catch {
    reportNoAnswer();
    return null;
  }
  if (content.reload) offerReload(content.message);
  else if (content.message !== undefined) showMessage(content.message);
  storeRevision(content.revision);
  return answer.ok ? content : null;
};

const offerReload = (text) => {
  if (find("reload")) return; // a button that is being pressed must stay
  showMessage(`${text} `);
  const button = document.createElement("button");
  button.type = "button";
  button.id = "reload";
  button.textContent = "Show the current state";
  button.addEventListener("click", async () => {
    await allAnswered();
    location.reload();
  });
  find("message").append(button);
};

// A message is about what was done before, so it goes with the next action; one that offers a button
// stays until that is pressed. It does not go when a field loses the focus ("change"): the button that
// is being pressed would move away from under the pointer, and the click would be lost.
const clearMessage = (event) => {
  if (event.type === "click" && !event.target.closest("button, summary, a, input, select")) return;
  if (!find("reload") && find("message")) showMessage("");
};
for (const kind of ["click", "input", "submit"]) document.addEventListener(kind, clearMessage, true);

document.addEventListener("click", (event) => {
  const asks = event.target.closest("[data-ask]");
  if (asks) find(asks.dataset.ask).showModal();
  if (event.target.closest("[data-dismiss]")) event.target.closest("dialog").close();
});
