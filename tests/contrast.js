// Contrast (WCAG) of every text with what lies behind it; cells of a heat map are mixed with the page.
() => {
  const rgb = (text) => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return [...parts.slice(0, 3), parts[3] ?? 1];
  };
  const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const shade = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, share, below) =>
    top.slice(0, 3).map((part, at) => share * part + (1 - share) * below[at]);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (!text || ["STYLE", "title", "desc"].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const drawn = element.namespaceURI.includes("svg");
    let ground = behind(element);
    if (drawn && element.classList.contains("value")) {
      const cell = getComputedStyle(element.previousElementSibling);
      ground = over(rgb(cell.fill), Number(cell.fillOpacity), ground);
    }
    const [one, other] = [shade(rgb(drawn ? style.fill : style.color)), shade(ground)];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([contrast, text.slice(0, 40)]);
  }
  return found;
}
