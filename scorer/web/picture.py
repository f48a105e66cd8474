"""The pad as a picture, to send to friends."""

from __future__ import annotations

import io
from functools import cache
from importlib.resources import files

from fpdf.bidi import BidiParagraph
from PIL import Image, ImageDraw, ImageFont

from scorer.pad import row_name, verdict
from scorer.rules import Score
from scorer.texts import Translate

ROW, LABEL, COLUMN, MARGIN = 56, 360, 190, 40
"""In pixels: sharp on a phone, small to send."""
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


def pad_png(result: Score, colours: list[str], title: str, say: Translate, mirrored: bool = False) -> bytes:
    """Title, pad and verdict; `mirrored` where the language reads from right to left."""
    rows = [*result.players[0].rows, "total"]
    width = 2 * MARGIN + LABEL + COLUMN * len(result.players)
    height = 2 * MARGIN + ROW * (len(rows) + 3)
    picture = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(picture)

    def text(words: str, x: float, y: float, room: float, size: int, align: str, ink: str = INK) -> None:
        """One line in a box from x on, shrunk to fit; x and align are mirrored where the language is."""
        shown = BidiParagraph(words).get_reordered_string()
        font = _font(size)
        while font.getlength(shown) > room and size > 10:
            size -= 1
            font = _font(size)
        spare = room - font.getlength(shown)
        left = width - x - room if mirrored else x
        end = (align == "end") != (mirrored and align != "middle")
        draw.text((left + (spare / 2 if align == "middle" else spare * end), y), shown, ink, font, "lm")

    inside = width - 2 * MARGIN
    text(title, MARGIN, MARGIN + ROW * 0.4, inside, 34, "start")
    text(verdict(result, say), MARGIN, MARGIN + ROW * 1.2, inside, 26, "start")
    top = MARGIN + 2 * ROW
    winners = result.winners if len(result.players) > 1 else []
    for number, (player, colour) in enumerate(zip(result.players, colours, strict=True)):
        x = MARGIN + LABEL + number * COLUMN
        dot = width - x - 18 if mirrored else x + 18
        draw.ellipse((dot - 10, top + 18, dot + 10, top + 38), DOTS[colour], "#00000066", 2)
        name = player.player + (" ★" if player.player in winners else "")
        text(name, x + 34, top + ROW / 2, COLUMN - 40, 22, "start")
    for line, row in enumerate(rows, start=1):
        y = top + line * ROW
        total = row == "total"
        if line % 2 or total:
            draw.rectangle((MARGIN, y, width - MARGIN, y + ROW), SHADE)
        draw.line((MARGIN, y, width - MARGIN, y), INK if total else LINE, 3 if total else 1)
        text(row_name(row, say), MARGIN + 12, y + ROW / 2, LABEL - 24, 24, "start")
        for number, player in enumerate(result.players):
            points = player.total if total else player.rows[row]
            best = total and player.player in winners
            text(
                str(points),
                MARGIN + LABEL + number * COLUMN,
                y + ROW / 2,
                COLUMN,
                30 if total else 24,
                "middle",
                GOLD if best else INK,
            )
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()
