// The chat view's entry.
import "./main.css";

document.body.dataset["ready"] = "true";
