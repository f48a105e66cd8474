"""The pad as a picture, to send to friends."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fpdf.bidi import BidiParagraph
from PIL import Image, ImageDraw, ImageFont

from scorer.pad import WINNER, row_name, verdict
from scorer.rules import Score
from scorer.texts import Translate

ROW, LABEL, COLUMN, MARGIN = 56, 360, 190, 40
"""In pixels: sharp on a phone, small to send."""
LEAST_LETTERS = 10
PAPER, INK, LINE, SHADE, GOLD = "#fffdf8", "#221d14", "#ddd3bf", "#f6f1e5", "#8a6100"
DOTS = {
    "blue": "#2f6fd0",
    "green": "#2f9e4f",
    "yellow": "#f2c230",
    "red": "#cf3049",
    "orange": "#ee8a2a",
    "purple": "#7a45b5",
    "white": "#ffffff",
    "black": "#1c1c1f",
}


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    data = (files("scorer.pads") / "fonts" / "DejaVuSans-subset.ttf").read_bytes()
    return ImageFont.truetype(io.BytesIO(data), size)


@dataclass(frozen=True)
class _Page:
    """A picture to write on; `mirrored` where the language reads from right to left."""

    draw: ImageDraw.ImageDraw
    width: int
    mirrored: bool

    def text(self, words: str, x: float, y: float, room: float, size: int, align: str, ink: str = INK) -> None:
        """One line in a box from x on, shrunk to fit; x and align are mirrored where the language is."""
        shown = BidiParagraph(words).get_reordered_string()
        font = _font(size)
        while font.getlength(shown) > room and size > LEAST_LETTERS:
            size -= 1
            font = _font(size)
        spare = room - font.getlength(shown)
        left = self.width - x - room if self.mirrored else x
        end = (align == "end") != (self.mirrored and align != "middle")
        self.draw.text((left + (spare / 2 if align == "middle" else spare * end), y), shown, ink, font, "lm")

    def dot(self, x: float, y: float, colour: str) -> None:
        x = self.width - x if self.mirrored else x
        self.draw.ellipse((x - 10, y - 10, x + 10, y + 10), colour, "#00000066", 2)


def pad_png(result: Score, colours: list[str], title: str, say: Translate, mirrored: bool = False) -> bytes:
    """Title, pad and verdict; `mirrored` where the language reads from right to left."""
    rows = [*result.players[0].rows, "total"]
    width = 2 * MARGIN + LABEL + COLUMN * len(result.players)
    picture = Image.new("RGB", (width, 2 * MARGIN + ROW * (len(rows) + 3)), PAPER)
    page = _Page(ImageDraw.Draw(picture), width, mirrored)
    page.text(title, MARGIN, MARGIN + ROW * 0.4, width - 2 * MARGIN, 34, "start")
    page.text(verdict(result, say), MARGIN, MARGIN + ROW * 1.2, width - 2 * MARGIN, 26, "start")
    top = MARGIN + 2 * ROW
    winners = result.winners if len(result.players) > 1 else []
    for number, (player, colour) in enumerate(zip(result.players, colours, strict=True)):
        x = MARGIN + LABEL + number * COLUMN
        page.dot(x + 18, top + ROW / 2, DOTS[colour])
        name = player.player + (f" {WINNER}" if player.player in winners else "")
        page.text(name, x + 34, top + ROW / 2, COLUMN - 40, 22, "start")
    for line, row in enumerate(rows, start=1):
        y = top + line * ROW
        if line % 2 or row == "total":
            page.draw.rectangle((MARGIN, y, width - MARGIN, y + ROW), SHADE)
        page.text(row_name(row, say), MARGIN + 12, y + ROW / 2, LABEL - 24, 24, "start")
        if row == "total":
            page.draw.line((MARGIN, y, width - MARGIN, y), INK, 3)
            cells = [(player.total, 30, GOLD if player.player in winners else INK) for player in result.players]
        else:
            page.draw.line((MARGIN, y, width - MARGIN, y), LINE, 1)
            cells = [(player.rows[row], 24, INK) for player in result.players]
        for number, (points, size, ink) in enumerate(cells):
            page.text(str(points), MARGIN + LABEL + number * COLUMN, y + ROW / 2, COLUMN, size, "middle", ink)
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()
