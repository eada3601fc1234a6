// Sending a file, chosen or dropped, and looking at its first lines.
import { find, showMessage, storeRevision } from "./common.js";

let request = null;
let last = null;

const done = (text) => {
  find("sending").hidden = true;
  find("file").value = "";
  find("send-again").hidden = !text || !last;
  showMessage(text);
};

const send = (file) => {
  const drop = find("drop");
  const limit = Number(drop.dataset.limit);
  last = file;
  showMessage("");
  if (file.size > limit * 1e6) {
    last = null;
    done(`The file is larger than ${limit} MB, the most that this page was started to accept. Use the command line, or have the page started with a larger limit.`);
    return;
  }
  const own = find("reading-form") ? [] : [...find("dialect").querySelectorAll("input")];
  const fields = own.map((input) => [input.name, input.value]);
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
      // not from our pages: the words above do
    }
    if (request.status === 200 || answer.reload) return location.reload();
    storeRevision(answer.revision);
    return done(answer.message);
  };
  request.onerror = () => done("The file could not be sent: is it too large, or has the server ended?");
  request.onabort = () => done("Sending was cancelled. Nothing was kept.");
  find("sending").hidden = false;
  find("stop-sending").focus();
  request.send(file);
};

const drop = find("drop");
if (drop) {
  find("file").addEventListener("change", (event) => event.target.files[0] && send(event.target.files[0]));
  find("stop-sending").addEventListener("click", () => request?.abort());
  find("send-again").addEventListener("click", () => last && send(last));
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault(); // a file dropped beside must not replace the page
      drop.classList.toggle("over", kind !== "drop" && kind !== "dragleave");
    });
  }
  document.addEventListener("drop", (event) => event.dataTransfer.files[0] && send(event.dataTransfer.files[0]));
}

// The first lines follow the fields, so that a person sees what a separator or a character set does.
const form = find("reading-form");
const lines = find("lines");
if (form && lines) {
  let turn = 0;
  form.addEventListener("input", async () => {
    const mine = ++turn;
    const answer = await fetch(`lines?${new URLSearchParams(new FormData(form))}`).catch(() => null);
    const text = answer?.ok ? await answer.text() : "";
    if (text && mine === turn) lines.innerHTML = text; // escaped by the server
  });
}
