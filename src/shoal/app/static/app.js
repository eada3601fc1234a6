// Sending a file, showing progress, keeping what stands in the form. Everything else is a plain form.
"use strict";

const RHYTHM = 500; // milliseconds between two looks at the progress
const find = (id) => document.getElementById(id);

const complain = (text) => {
  find("message").textContent = text;
  find("message").hidden = !text;
};

// A file, chosen or dropped.
const send = (file) => {
  const limit = Number(find("drop").dataset.limit);
  complain("");
  if (file.size > limit * 1e6) {
    complain(`The file is larger than ${limit} MB. Use the command line, or start the page with a larger --limit.`);
    return;
  }
  const marks = [...find("dialect").querySelectorAll("input")].map((input) => [input.name, input.value]);
  const request = new XMLHttpRequest();
  request.open("POST", `file?${new URLSearchParams(marks)}`);
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.upload.onprogress = (event) => {
    find("sent").value = event.loaded / Math.max(event.total, 1);
    find("sending-words").textContent = `${Math.round(event.loaded / 1e6)} of ${Math.round(event.total / 1e6)} MB`;
  };
  const failed = (text) => {
    find("sending").hidden = true;
    find("file").value = "";
    complain(text);
  };
  request.onload = () => {
    if (request.status === 200) return location.reload();
    let told = "The file was refused.";
    try {
      told = JSON.parse(request.responseText).message || told;
    } catch {
      // not from our pages: the words above do
    }
    return failed(told);
  };
  request.onerror = () => failed("The file could not be sent: is it too large, or has the server ended?");
  find("sending").hidden = false;
  request.send(file);
};

const drop = find("drop");
if (drop) {
  find("file").addEventListener("change", (event) => event.target.files[0] && send(event.target.files[0]));
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault(); // a file dropped beside must not replace the page
      drop.classList.toggle("over", kind !== "drop" && kind !== "dragleave");
    });
  }
  document.addEventListener("drop", (event) => event.dataTransfer.files[0] && send(event.dataTransfer.files[0]));
}

// What stands in the form is kept with every change, so that it can be undone and survives a reload.
const settings = find("settings");
const fit = () => {
  for (const part of settings.querySelectorAll("[data-for]")) {
    part.hidden = !part.dataset.value.split(" ").includes(find(part.dataset.for).value);
  }
  for (const kind of settings.querySelectorAll("[data-order]")) {
    find(kind.dataset.order).hidden = kind.value !== "ordinal";
  }
};
if (settings) {
  let last = Promise.resolve();
  settings.addEventListener("change", () => {
    fit();
    const body = new URLSearchParams(new FormData(settings));
    last = last.then(() => fetch("settings", { method: "POST", body })).then((answer) => answer.json()).then((can) => {
      find("undo").disabled = !can.undo;
      find("redo").disabled = !can.redo;
    }).catch(() => complain("The server does not answer: has it ended?"));
  });
}

// Progress: asked for while something is under way.
const show = (work, element) => {
  const bar = element.querySelector("progress");
  if (work.total > 0) {
    bar.max = work.total;
    bar.value = work.done;
  } else {
    bar.removeAttribute("value");
  }
  const words = work.stage || work.state;
  const line = element.querySelector("span");
  const share = work.total > 0 ? ` · ${Math.floor((100 * work.done) / work.total)} %` : "";
  if (line.textContent !== words + share) line.textContent = words + share;
};

let before = "";
const watch = async () => {
  if (!document.querySelector("[data-under-way]")) return;
  try {
    const answer = await fetch("state");
    if (!answer.ok) throw new Error();
    const state = await answer.json();
    const reading = find("reading");
    if (reading) {
      if (!state.reading) return location.reload();
      show(state.works[0], reading);
    } else {
      const runs = state.works.slice(1);
      const now = runs.map((run) => run.state).join();
      if (now !== before) {
        before = now;
        await refresh();
      }
      runs.forEach((run, at) => {
        const card = find(`run-${at + 1}`)?.closest("article").querySelector(".progress");
        if (card) show(run, card);
      });
    }
  } catch {
    complain("The server does not answer: has it ended?");
  }
  setTimeout(watch, RHYTHM);
};
const refresh = async () => {
  const focused = document.activeElement?.closest("#runs") ? document.activeElement.getAttribute("aria-label") : null;
  const answer = await fetch("runs");
  if (!answer.ok) throw new Error();
  find("runs").innerHTML = await answer.text(); // escaped by the server; scripts in it would not run
  if (focused) find("runs").querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
};
watch();
document.documentElement.dataset.ready = ""; // from here on, a change is kept
