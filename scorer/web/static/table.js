// The table: every seat's kingdom, photos, swaps, and who hosts the Queen.
import { $, $$, photos, post, say, words } from "./page.js";
import { Board } from "./board.js";
import "./host.js";

const table = $("#seats");
const game = `/api/game/${table.dataset.game}`;

for (const svg of $$("[data-board]")) new Board(svg).show(JSON.parse(svg.dataset.board));

photos(() => location.reload());

for (const button of $$("[data-hand]")) {
  button.addEventListener("click", async () => {
    const number = button.dataset.hand;
    await post(`${game}/seat/${number}/change`, { do: "blank", value: 0 });
    location.assign(`/game/${table.dataset.game}/kingdom/${number}`);
  });
}

let first = null;
for (const button of $$("[data-swap]")) {
  button.addEventListener("click", async () => {
    const number = Number(button.dataset.swap);
    const pressed = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", String(!pressed));
    if (first === null) {
      first = number;
      say(words().swap_hint);
    } else if (first === number) {
      first = null;
    } else {
      await post(`${game}/swap`, { seats: [first, number] });
      location.reload();
    }
  });
}
