// One kingdom: look, tap, correct. Every tap is a change that the server keeps and answers with the new score.
import { $, $$, photos, post, say, words } from "./page.js";
import { Board, gridToPhoto } from "./board.js";

const bench = $("#workbench");
const seat = bench.dataset.seat;
let view = JSON.parse($("#view").textContent);
const board = new Board($("#board"), open);

function open(place) {
  board.selected = place;
  board.show();
  showEditor();
  // On a phone the editor covers the lower half.
  $(".selected", board.svg).scrollIntoView({ block: "center", behavior: "instant" });
}

function close() {
  board.selected = null;
  board.show();
  showEditor();
  if (view.laid) board.focus();
}

let queue = Promise.resolve();
// Changes go one after another, so that the last answer is the latest state.
function change(wanted) {
  queue = queue.then(() => post(`${seat}/change`, wanted).then(update, () => {}));
  return queue;
}

function update(next) {
  view = next;
  const { selected } = board;
  if (selected && (selected[0] >= view.rows || selected[1] >= view.columns)) board.selected = null;
  $("#total").textContent = view.points;
  for (const id of ["#frame", "#tools", "#side"]) $(id).hidden = !view.laid;
  $("#start").hidden = view.laid;
  board.show(view);
  showEditor();
  lists();
  for (const [name, value] of Object.entries(view.numbers)) {
    const output = $(`#numbers [data-value="${name}"]`);
    if (output) output.textContent = value;
  }
  $('[data-do="undo"]').disabled = !view.undo;
  $('[data-do="redo"]').disabled = !view.redo;
  $("#modes").hidden = !view.photo;
  $("#second").hidden = !view.photo || view.doubts.length === 0;
  $("#corners").hidden = !view.photo;
}

// Doubts and warnings

function lists() {
  const doubts = $("#doubts ul");
  doubts.replaceChildren(...view.doubts.map(doubtItem));
  $("#doubts").classList.toggle("none", view.doubts.length === 0);
  $("#doubts p").hidden = view.doubts.length > 0;
  $("#notes").textContent = view.notes.join(" · ");
  $("#problems").hidden = view.problems.length === 0;
  $("#problems ul").replaceChildren(...view.problems.map((problem) => item("problem-line", "!", problem.text, problem.square)));
}

function item(kind, sign, text, square) {
  const line = document.createElement("li");
  line.className = kind;
  const mark = document.createElement("span");
  mark.className = "mark";
  mark.setAttribute("aria-hidden", "true");
  mark.textContent = sign;
  const told = document.createElement(square ? "button" : "span");
  told.textContent = text;
  if (square) {
    told.type = "button";
    told.className = "link";
    told.addEventListener("click", () => open(square));
  }
  line.append(mark, told);
  return line;
}

function doubtItem(doubt) {
  const line = item("doubt-line", "?", doubt.text, doubt.square);
  const choices = document.createElement("span");
  choices.className = "choices";
  doubt.choices.forEach((choice, number) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "tile";
    button.innerHTML = `<svg aria-hidden="true"><use href="#${choice.art}"/></svg>`;
    const crowns = document.createElement("span");
    crowns.className = "crown-count";
    crowns.setAttribute("aria-hidden", "true");
    crowns.innerHTML = '<svg><use href="#crown"/></svg>'.repeat(choice.crowns || 0);
    const name = document.createElement("span");
    name.textContent = choice.label;
    button.append(crowns, name);
    button.addEventListener("click", () =>
      change(number === 0 ? { do: "confirm", at: doubt.square } : { do: "cell", at: doubt.square, value: choice.cell }),
    );
    choices.append(button);
  });
  if (doubt.number !== null) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = `✓ ${words().is_right}`;
    button.addEventListener("click", () => change({ do: "settle", value: doubt.number }));
    choices.append(button);
  }
  line.append(choices);
  if (doubt.effect) {
    const effect = document.createElement("span");
    effect.className = doubt.winner_changes ? "effect alert" : "effect";
    effect.textContent = doubt.effect;
    line.append(effect);
  }
  return line;
}

// The editor of one square

function square() {
  return board.selected && view.squares[board.selected[0]][board.selected[1]];
}

function showEditor() {
  const now = square();
  $("#editor").hidden = !now;
  $("#hint").hidden = Boolean(now);
  document.body.classList.toggle("editing", Boolean(now));
  if (!now) return;
  $("#editor-title").textContent = now.label;
  const on = {
    terrain: now.art,
    crowns: String(now.crowns),
    building: now.building ?? "",
    resource: now.resource,
    court: now.court.replace("~", ""),
    turned: now.turned,
    "court-turned": now.court.endsWith("~"),
  };
  for (const button of $$("#editor [data-do]")) {
    const value = on[button.dataset.do];
    const pressed = typeof value === "boolean" ? value : value === button.dataset.value;
    button.setAttribute("aria-pressed", String(pressed));
  }
  const land = !["castle", "empty", "unknown"].includes(now.art);
  const when = {
    crowns: land && now.art !== "town",
    building: now.art === "town",
    turned: Boolean(now.building) && now.building !== "?",
    pieces: land || now.art === "unknown",
    court: Boolean(now.court),
  };
  for (const part of $$("#editor [data-when]")) part.hidden = !when[part.dataset.when];
  for (const output of $$("#editor [data-value]")) {
    if (output.tagName === "OUTPUT") output.textContent = now.pieces[output.dataset.value] ?? 0;
  }
}

bench.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { do: kind, value, side, step, by } = button.dataset;
  const at = board.selected;
  if (step) {
    const beside = step in view.numbers;
    const before = beside ? view.numbers[step] : (square().pieces[step] ?? 0);
    const next = Math.max(0, before + Number(by));
    if (next !== before) change(beside ? { do: step, value: next } : { do: step, at, value: next });
  } else if (kind === "grow" || kind === "shrink") {
    change({ do: kind, side });
  } else if (kind === "turned") {
    change({ do: kind, at, value: !square().turned });
  } else if (kind === "court-turned") {
    const tile = square().court;
    change({ do: "court", at, value: tile.endsWith("~") ? tile.slice(0, -1) : `${tile}~` });
  } else if (kind === "crowns" || kind === "blank") {
    change({ do: kind, at, value: Number(value) });
  } else if (kind) {
    change({ do: kind, at, value });
  }
});

$("#editor-done").addEventListener("click", close);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && board.selected) close();
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    event.preventDefault();
    change({ do: event.shiftKey ? "redo" : "undo" });
  }
});

for (const button of $$("[data-mode]")) {
  button.addEventListener("click", () => {
    board.drawn = button.dataset.mode === "drawing";
    for (const other of $$("[data-mode]")) other.setAttribute("aria-pressed", String(other === button));
    board.show();
  });
}

photos((answer) => update(answer.board));

// Corners: four handles over the photo, then it is read again.

let corners = null;

$("#corners").addEventListener("click", () => {
  corners = { points: view.corners.map((point) => [...point]), rows: view.rows, columns: view.columns };
  board.selected = null;
  showEditor();
  $("#corner-tools").hidden = false;
  $("#tools").hidden = true;
  $("#side").hidden = true;
  // The kingdom with some table around it: the grid may reach further than it was thought to.
  const { width, height } = view.photo;
  const [xs, ys] = [0, 1].map((axis) => corners.points.map((point) => point[axis]));
  const size = Math.min(1.6 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)), Math.max(width, height));
  corners.size = size;
  corners.frame = [(Math.min(...xs) + Math.max(...xs) - size) / 2, (Math.min(...ys) + Math.max(...ys) - size) / 2, size, size];
  drawCorners();
  $("#frame").scrollIntoView({ block: "nearest" });
});

function drawCorners() {
  for (const name of ["rows", "columns"]) $(`[data-corner="${name}"]`).textContent = corners[name];
  const svg = board.svg;
  svg.replaceChildren();
  const { src, width, height } = view.photo;
  const make = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    svg.append(made);
    return made;
  };
  svg.setAttribute("viewBox", corners.frame.join(" "));
  make("image", { href: src, width, height });
  const project = gridToPhoto(corners.points, corners.rows, corners.columns);
  const line = (a, b) => `M${project(...a)}L${project(...b)}`;
  let path = "";
  for (let row = 0; row <= corners.rows; row++) path += line([0, row], [corners.columns, row]);
  for (let column = 0; column <= corners.columns; column++) path += line([column, 0], [column, corners.rows]);
  make("path", { d: path, class: "casing" });
  make("path", { d: path, class: "outline" });
  const names = words();
  corners.points.forEach(([cx, cy], number) => {
    const handle = make("circle", {
      cx, cy, r: corners.size / 20, class: "handle", tabindex: 0, role: "button",
      "aria-label": names.corner_number.replace("{number}", number + 1),
    });
    handle.addEventListener("pointerdown", (event) => drag(event, number));
    handle.addEventListener("keydown", (event) => nudge(event, number));
  });
}

function drag(event, number) {
  event.preventDefault();
  const svg = board.svg;
  const move = (at) => {
    const point = new DOMPoint(at.clientX, at.clientY).matrixTransform(svg.getScreenCTM().inverse());
    corners.points[number] = [
      Math.min(view.photo.width, Math.max(0, point.x)), Math.min(view.photo.height, Math.max(0, point.y)),
    ];
    drawCorners();
  };
  const stop = () => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", stop);
    window.removeEventListener("pointercancel", stop);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", stop);
  window.addEventListener("pointercancel", stop);
}

function nudge(event, number) {
  const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
  if (!step) return;
  event.preventDefault();
  const far = view.photo.width / (event.shiftKey ? 20 : 200);
  corners.points[number] = corners.points[number].map((value, axis) => value + step[axis] * far);
  drawCorners();
  $$(".handle", board.svg)[number].focus();
}

for (const button of $$("[data-corner-step]")) {
  button.addEventListener("click", () => {
    const name = button.dataset.cornerStep;
    corners[name] = Math.min(9, Math.max(1, corners[name] + Number(button.dataset.by)));
    drawCorners();
  });
}

function leaveCorners() {
  corners = null;
  $("#corner-tools").hidden = true;
  update(view);
}

$("#leave-corners").addEventListener("click", leaveCorners);
$("#read-again").addEventListener("click", async () => {
  const button = $("#read-again");
  button.disabled = true;
  say(words().reading);
  try {
    const next = await post(`${seat}/corners`, { corners: corners.points, rows: corners.rows, columns: corners.columns });
    view = next;
    leaveCorners();
  } finally {
    button.disabled = false;
  }
});

update(view);
