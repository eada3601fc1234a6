// The scripts of all pages; each does nothing on a page without its elements.
import "./common.js";
import "./upload.js";
import "./settings.js";
import "./runs.js";

document.documentElement.dataset.ready = ""; // from now on, every change of a field is saved
