// Copy buttons on code, and keyboard access to what scrolls. Nothing is loaded.
(() => {
  "use strict";

  // What a reader would type: commands after prompts, without what they show.
  const typed = (pre) => {
    const text = pre.textContent.replace(/\n+$/, "");
    const lines = text.split("\n");
    if (!lines.some((line) => /^(\$|>>>) /.test(line))) return text;
    const kept = [];
    let goesOn = false; // a command of the shell that ends in a backslash
    for (const line of lines) {
      const prompt = line.match(/^(?:\$|>>>|\.\.\.) ?/);
      if (prompt) kept.push(line.slice(prompt[0].length));
      else if (goesOn) kept.push(line);
      goesOn = (Boolean(prompt) || goesOn) && line.endsWith("\\");
    }
    return kept.join("\n");
  };

  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea"); // pages opened over plain HTTP
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };

  const addButton = (block) => {
    const pre = block.querySelector("pre");
    if (!pre || pre.classList.contains("output")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await copy(typed(pre));
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.append(button);
  };

  const reachScrolling = () => {
    for (const box of document.querySelectorAll(".highlight pre, .table-wrapper, .wide, math[display]")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("div.highlight").forEach(addButton);
    reachScrolling();
    addEventListener("resize", reachScrolling);
  });
})();
