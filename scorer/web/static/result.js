// The result: a number of the pad shows where it comes from, lit up on the kingdom.
import { $, $$, listed, photos, picture } from "./page.js";
import { Board, element } from "./board.js";
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
      const squares = reasons.flatMap((reason) => reason.squares).map(String);
      board.lit = squares.length ? new Set(squares) : null;
      board.show(boards[player.seat]);
      $("#why-reasons").replaceChildren(...listed(reasons.map((reason) => reason.text)));
      $("#why-nothing").hidden = reasons.length > 0;
      $("#why").scrollIntoView({ block: "nearest", behavior: "smooth" });
    });
  }
}

// A photographed pad: what is right on it, and what would be.
if ($("#pad-check")) {
  photos(({ picture: letters, size: [width, height], marks, findings }) => {
    const sheet = $("#sheet");
    const draw = (name, attributes, text = "") => sheet.append(element(name, attributes, text));
    sheet.replaceChildren();
    sheet.setAttribute("viewBox", `0 0 ${width} ${height}`);
    draw("image", { href: picture(letters).url, width, height });
    for (const { quad, right, points } of marks) {
      const high = Math.hypot(quad[3][0] - quad[0][0], quad[3][1] - quad[0][1]);
      const x = (quad[1][0] + quad[2][0]) / 2 - high * 0.45, y = (quad[1][1] + quad[2][1]) / 2 + high * 0.2;
      draw("polygon", { points: quad.join(" "), class: right ? "right" : "wrong" });
      draw("text", { x, y, "font-size": high * 0.55, class: right ? "right" : "wrong" }, right ? "✓" : `→ ${points ?? 0}`);
    }
    sheet.removeAttribute("hidden");
    $("#findings").replaceChildren(...listed(findings));
  });
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
