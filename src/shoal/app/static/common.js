// Shared by all scripts of the page: messages, announcements, requests and dialogs.

export const find = (id) => document.getElementById(id);

export const showMessage = (text) => {
  find("message").textContent = text;
  find("message").hidden = !text;
  if (text) find("message").scrollIntoView({ block: "center" });
};

// Announce a text to screen readers.
export const announce = (text) => {
  find("live").textContent = text;
};

export const reportNoAnswer = () => showMessage("The server does not answer. Shoal or this session may have ended.");

// Forms and scripts send the revision that they were shown, so that the server notices changes made
// in other tabs.
export const storeRevision = (revision) => {
  if (revision === undefined) return;
  for (const field of document.querySelectorAll("[name=revision]")) field.value = revision;
  const drop = find("drop");
  if (drop) drop.dataset.revision = revision;
};

// Requests are sent one after the other, because each needs the revision in the answer to the one
// before.
let pendingRequests = 0;
let lastRequest = Promise.resolve();
export const isSending = () => pendingRequests > 0;
export const enqueue = (task) => {
  pendingRequests += 1;
  document.documentElement.dataset.sending = "";
  const answer = lastRequest.then(task);
  lastRequest = answer.catch(reportNoAnswer).then(() => {
    pendingRequests -= 1;
    if (!pendingRequests) delete document.documentElement.dataset.sending;
  });
  return answer;
};
export const allAnswered = async () => {
  while (pendingRequests) await lastRequest;
};
export const pressedButtons = new Set(); // of forms that are being sent: a second click does nothing

// Send a form without leaving the page; return the content of the answer, or null if it is refused.
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
  if (find("reload")) return; // the user may be pressing the button: do not replace it
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

// The next action clears a message, unless the message offers a button. The event "change" does not:
// it also occurs when a field loses the focus to a button, and clearing the message would move that
// button away from under the pointer, so that the click would be lost.
const clearMessage = (event) => {
  if (event.type === "click" && !event.target.closest("button, summary, a, input, select")) return;
  if (!find("reload") && find("message")) showMessage("");
};
for (const type of ["click", "input", "submit"]) document.addEventListener(type, clearMessage, true);

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-ask]");
  if (opener) find(opener.dataset.ask).showModal();
  if (event.target.closest("[data-dismiss]")) event.target.closest("dialog").close();
});
