// Who hosts the Queen: the score of the whole table follows, so the page is made anew.
import { $$, post } from "./page.js";

for (const button of $$("[data-host]")) {
  button.addEventListener("click", async () => {
    const host = button.dataset.host === "" ? null : Number(button.dataset.host);
    const game = button.closest("[data-game]").dataset.game;
    await post(`/api/game/${game}/queen`, { host, abducted: "abducted" in button.dataset });
    location.reload();
  });
}
