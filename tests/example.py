"""The rule book's worked example, and what the book says that it is worth."""

from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "samples" / "kingdoms"
FILE = SAMPLES / "example-71.kingdom"
TEXT = FILE.read_text("utf-8")
TOTAL = 71
ROWS = {
    "coins": 3,
    "wheat": 3,
    "forest": 3,
    "lake": 6,
    "grassland": 16,
    "swamp": 1,
    "mine": 12,
    "town": 0,
    "territory_buildings": 6,
    "church": 8,
    "towers": 3,
    "knights": 0,
    "buildings": 10,
}
