// A guided round: some tiles are laid and photographed, somebody says what each is, and they are taught.
import { $, fill, listed, photos, picture, post, say, send, words } from "./page.js";
import { Board } from "./board.js";
import { Corners } from "./corners.js";
import { Editor } from "./editor.js";

const blank = JSON.parse($("#blank").textContent);
const quick = $("#workbench").dataset.kind === "buildings";
const board = new Board($("#board"), open);
let named = Promise.resolve();
// Every tap waits for those before it: among buildings they lead on to the next tile.
const editor = new Editor((wanted) => {
  const at = board.selected;
  named = named.then(() => name(quick ? board.selected : at, wanted)).catch(() => {});
});
let photo = null;
let corners = null;
let squares = [];

photos((answer) => {
  const { blob, url } = picture(answer.picture);
  photo = { blob, src: url, width: answer.size[0], height: answer.size[1] };
  squares = [];
  setCorners(answer.corners, answer.rows, answer.columns);
});

function stage(name) {
  $("#start").hidden = name !== "start";
  $("#frame").hidden = !["corners", "naming"].includes(name);
  $("#corner-tools").hidden = name !== "corners";
  for (const id of ["#round-tools", "#side"]) $(id).hidden = name !== "naming";
  $("#taught").hidden = name !== "taught";
}

function setCorners(points, rows, columns) {
  stage("corners");
  editor.show(null);
  corners = new Corners(board.svg, photo, points, rows, columns);
}

$("#corners").addEventListener("click", () => setCorners(corners.points, corners.rows, corners.columns));

$("#name-tiles").addEventListener("click", () => {
  const { rows, columns } = corners;
  const same = squares.length === rows && squares[0].length === columns;
  if (!same) squares = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ({ ...blank })));
  stage("naming");
  next();
});

const unnamed = (square) => square.art === "unknown" || square.building === "?";
const places = () => squares.flatMap((row, r) => row.map((square, c) => [[r, c], square]));

// A tile without a name is shown bare: one has to see it.
const drawn = (square, row, column) => ({
  ...square,
  ...(unnamed(square) ? { art: "empty", building: null } : {}),
  label: fill(words().at_place, { row: row + 1, column: column + 1, what: square.label }),
});

function show() {
  const doubts = places().filter(([, square]) => unnamed(square)).map(([square]) => ({ square }));
  const { points, rows, columns } = corners;
  const shown = squares.map((line, row) => line.map((square, column) => drawn(square, row, column)));
  board.show({ photo, corners: points, rows, columns, squares: shown, doubts, problems: [], territories: [] });
  const count = doubts.length;
  $("#left").textContent = count ? fill($("#left").dataset.left, { count }) : "";
  // Tiles that somebody cannot name are left out.
  $("#teach").disabled = count === places().length;
  editor.show(board.selected && squares[board.selected[0]][board.selected[1]]);
}

function open(place) {
  board.selected = place;
  show();
  // On a phone the editor covers the lower half.
  if (place) $(".selected", board.svg).scrollIntoView({ block: "center", behavior: "instant" });
}

// On to the next tile without a name.
function next() {
  open(places().find(([, square]) => unnamed(square))?.[0] ?? null);
}

async function name(at, wanted) {
  const square = at && squares[at[0]]?.[at[1]];
  const made = square && wanted(square);
  if (!made) return;
  squares[at[0]][at[1]] = await post("/api/teach/square", { ...made, cell: square.cell });
  if (quick && made.do === "building") next();
  else show();
}

$("#editor-done").addEventListener("click", next);
document.addEventListener("keydown", (event) => event.key === "Escape" && board.selected && open(null));

$("#teach").addEventListener("click", async () => {
  const button = $("#teach");
  button.disabled = true;
  await named;
  open(null);
  say(words().teaching);
  const grid = { corners: corners.points, cells: squares.map((row) => row.map((square) => square.cell)) };
  try {
    const answer = await send(`/api/teach/photo?grid=${encodeURIComponent(JSON.stringify(grid))}`, photo.blob, () => {});
    say("");
    $("#taught-text").textContent = answer.message;
    $("#taught-lines").replaceChildren(...listed(answer.lines));
    stage("taught");
    $("#taught a").focus();
  } catch (error) {
    say(error.message);
    button.disabled = false;
  }
});
