// The result: a number of the pad shows where it comes from, lit up on the kingdom.
import { $, $$ } from "./page.js";
import { Board } from "./board.js";
import "./host.js";

if ($("#pad")) {
  const pad = JSON.parse($("#pad").textContent);
  const boards = JSON.parse($("#boards").textContent);
  const board = new Board($("#why-board"));
  for (const button of $$(".number")) {
    button.addEventListener("click", () => {
      const again = button.getAttribute("aria-expanded") === "true";
      for (const other of $$(".number")) other.setAttribute("aria-expanded", "false");
      $("#why").hidden = again;
      if (again) return;
      button.setAttribute("aria-expanded", "true");
      const player = pad.players[button.dataset.player];
      const { reasons } = pad.lines[button.dataset.line].cells[button.dataset.player];
      $("#why-title").textContent = button.getAttribute("aria-label");
      board.lit = new Set(reasons.flatMap((reason) => reason.squares).map(String));
      board.show(boards[player.seat]);
      $("#why-reasons").replaceChildren(
        ...reasons.map((reason) => {
          const line = document.createElement("li");
          line.textContent = reason.text;
          return line;
        }),
      );
      $("#why-nothing").hidden = reasons.length > 0;
      $("#why").scrollIntoView({ block: "nearest", behavior: "smooth" });
    });
  }
}

$("#copy")?.addEventListener("click", async () => {
  const link = $("#link");
  const button = $("#copy");
  if (navigator.share) {
    await navigator.share({ url: link.value }).catch(() => {});
    return;
  }
  link.select();
  // The clipboard is only there on a secure page; the old way works everywhere.
  if (navigator.clipboard) await navigator.clipboard.writeText(link.value).catch(() => document.execCommand("copy"));
  else document.execCommand("copy");
  button.textContent = button.dataset.copied;
});
