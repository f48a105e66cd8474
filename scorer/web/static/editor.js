// The editor of one square: what is on it, and a change for every tap. `change` is given a function that says which,
// {do, value} or null, for the square as it is when its turn comes: quick taps must not count from an old number.
import { $, $$ } from "./page.js";

export class Editor {
  constructor(change) {
    this.root = $("#editor");
    this.square = null;
    this.root.addEventListener("click", (event) => {
      const button = event.target.closest("[data-do], [data-step]");
      if (button) change((square = this.square) => wanted(square, button.dataset));
    });
  }

  show(square) {
    this.square = square;
    this.root.hidden = !square;
    $("#hint").hidden = Boolean(square);
    document.body.classList.toggle("editing", Boolean(square));
    if (!square) return;
    $("#editor-title").textContent = square.label;
    const on = {
      terrain: square.art,
      crowns: String(square.crowns),
      building: square.building ?? "",
      resource: square.resource,
      court: square.court.replace("~", ""),
      turned: square.turned,
      "court-turned": square.court.endsWith("~"),
    };
    for (const button of $$("[data-do]", this.root)) {
      const value = on[button.dataset.do];
      const pressed = typeof value === "boolean" ? value : value === button.dataset.value;
      button.setAttribute("aria-pressed", String(pressed));
    }
    const land = !["castle", "empty", "unknown"].includes(square.art);
    const when = {
      crowns: land && square.art !== "town",
      building: square.art === "town",
      turned: Boolean(square.building) && square.building !== "?",
      pieces: land || square.art === "unknown",
      court: Boolean(square.court),
    };
    for (const part of $$("[data-when]", this.root)) part.hidden = !when[part.dataset.when];
    for (const output of $$("output[data-value]", this.root)) output.textContent = square.pieces[output.dataset.value] ?? 0;
  }
}

function wanted({ pieces, turned, court }, { do: kind, value, step, by }) {
  if (step) {
    const before = pieces[step] ?? 0;
    const next = Math.max(0, before + Number(by));
    return next === before ? null : { do: step, value: next };
  }
  if (kind === "turned") return { do: kind, value: !turned };
  if (kind === "court-turned") return { do: "court", value: court.endsWith("~") ? court.slice(0, -1) : `${court}~` };
  return { do: kind, value: kind === "crowns" ? Number(value) : value };
}
