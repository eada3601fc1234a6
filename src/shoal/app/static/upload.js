// Sending a file that was chosen or dropped, and a preview of its first lines.
import { find, showMessage, storeRevision } from "./common.js";

let request = null;
let lastFile = null; // to send again

const endSending = (text) => {
  find("sending").hidden = true;
  find("file").value = "";
  find("send-again").hidden = !text || !lastFile;
  showMessage(text);
};

const send = (file) => {
  const drop = find("drop");
  const limit = Number(drop.dataset.limit);
  lastFile = file;
  showMessage("");
  if (file.size > limit * 1e6) {
    lastFile = null;
    endSending(`The file is larger than ${limit} MB, the limit of this page. Use the command line, or start the page with a larger limit.`);
    return;
  }
  const inputs = find("reading-form") ? [] : [...find("dialect").querySelectorAll("input")];
  const fields = inputs.map((input) => [input.name, input.value]);
  request = new XMLHttpRequest();
  request.open("POST", `file?${new URLSearchParams([...fields, ["revision", drop.dataset.revision]])}`);
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.upload.onprogress = (event) => {
    find("sent").value = event.loaded / Math.max(event.total, 1);
    find("sending-words").textContent = `${Math.round(event.loaded / 1e6)} of ${Math.round(event.total / 1e6)} MB`;
  };
  request.onload = () => {
    let answer = { message: "The file was refused." };
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      // the answer is not from Shoal: the message above is shown
    }
    if (request.status === 200 || answer.reload) return location.reload();
    storeRevision(answer.revision);
    return endSending(answer.message);
  };
  request.onerror = () => endSending("The file could not be sent: is it too large, or has the server ended?");
  request.onabort = () => endSending("Sending was cancelled. Nothing was kept.");
  find("sending").hidden = false;
  find("stop-sending").focus();
  request.send(file);
};

const drop = find("drop");
if (drop) {
  find("file").addEventListener("change", (event) => event.target.files[0] && send(event.target.files[0]));
  find("stop-sending").addEventListener("click", () => request?.abort());
  find("send-again").addEventListener("click", () => lastFile && send(lastFile));
  for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(type, (event) => {
      event.preventDefault(); // a file that misses the area must not replace the page
      drop.classList.toggle("over", type !== "drop" && type !== "dragleave");
    });
  }
  document.addEventListener("drop", (event) => event.dataTransfer.files[0] && send(event.dataTransfer.files[0]));
}

// The first lines follow the fields, so that the effect of a separator or character set is visible.
const form = find("reading-form");
const lines = find("lines");
if (form && lines) {
  let requestCount = 0;
  form.addEventListener("input", async () => {
    const number = ++requestCount;
    const answer = await fetch(`lines?${new URLSearchParams(new FormData(form))}`).catch(() => null);
    const text = answer?.ok ? await answer.text() : "";
    if (text && number === requestCount) lines.innerHTML = text; // escaped by the server
  });
}
