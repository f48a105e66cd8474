// One kingdom: look, tap, correct. Every tap is a change that the server keeps and answers with the new score.
import { $, $$, photos, post, say, words } from "./page.js";
import { Board } from "./board.js";
import { Corners } from "./corners.js";
import { Editor } from "./editor.js";

const bench = $("#workbench");
const seat = bench.dataset.seat;
let view = JSON.parse($("#view").textContent);
const board = new Board($("#board"), open);
const editor = new Editor((wanted) => {
  const at = board.selected;
  change(() => {
    const square = view.squares[at[0]]?.[at[1]];
    const made = square && wanted(square);
    return made && { ...made, at };
  });
});

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
// Changes go one after another, so that the last answer is the latest state. One that counts on from what is there is a
// function, asked when its turn comes.
function change(wanted) {
  queue = queue.then(() => {
    const made = typeof wanted === "function" ? wanted() : wanted;
    return made && post(`${seat}/change`, made).then(update, () => {});
  });
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

function showEditor() {
  editor.show(board.selected && view.squares[board.selected[0]][board.selected[1]]);
}

bench.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button || editor.root.contains(button)) return;
  const { do: kind, value, side, step, by } = button.dataset;
  if (step) {
    change(() => {
      const before = view.numbers[step];
      const next = Math.max(0, before + Number(by));
      return next === before ? null : { do: step, value: next };
    });
  } else if (kind) {
    change({ do: kind, side, value: kind === "blank" ? Number(value) : value });
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
  board.selected = null;
  showEditor();
  $("#corner-tools").hidden = false;
  $("#tools").hidden = true;
  $("#side").hidden = true;
  corners = new Corners(board.svg, view.photo, view.corners, view.rows, view.columns);
  $("#frame").scrollIntoView({ block: "nearest" });
});

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
    view = await post(`${seat}/corners`, { corners: corners.points, rows: corners.rows, columns: corners.columns });
    leaveCorners();
  } finally {
    button.disabled = false;
  }
});

update(view);
