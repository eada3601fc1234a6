// The parts of the page, each of which does nothing where it has nothing to do.
import "./common.js";
import "./upload.js";
import "./settings.js";
import "./runs.js";

document.documentElement.dataset.ready = ""; // from here on, a change is kept
