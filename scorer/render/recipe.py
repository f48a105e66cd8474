"""What kinds of scenes to render."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from scorer.render.photograph import Effects
from scorer.render.sources import DrawnTiles, TileSource
from scorer.render.tables import DrawnTables, TableSource

Range = tuple[float, float]


@dataclass(frozen=True)
class Recipe:
    """What kinds of scenes to render; every pair is a range to draw from evenly."""

    photo_sizes: tuple[tuple[int, int], ...] = ((1024, 768), (768, 1024))  # width, height
    kingdoms: tuple[int, int] = (1, 2)
    rules: tuple[str, ...] = ("kingdomino", "queendomino", "royal-wedding", "xxxl")
    sizes: tuple[int, ...] = (5, 5, 5, 7, 7, 9)
    filled: Range = (0.15, 1.0)  # share of the dominoes that a full kingdom holds
    tilt: Range = (0.0, 45.0)  # degrees from straight down
    gap: Range = (0.0, 0.06)  # between neighbouring dominoes, in squares
    crooked: Range = (0.0, 2.0)  # standard deviation of a domino's turn, in degrees
    drift: Range = (0.0, 0.05)  # how far rows and columns wander, in squares
    clutter: Range = (0.0, 1.0)  # 0 nothing, 1 a crowded table
    distance: Range = (0.34, 2.0)  # between kingdoms' bounding boxes, in squares; 0 touches
    nested: float = 0.0  # probability that the distance is kept by tiles, not boxes: kingdoms reach into each other's
    square_pixels: Range = (22.0, 110.0)  # reduced where the kingdoms would not fit the frame
    margin: Range = (0.0, 0.12)  # left free around the kingdoms, share of the shorter side; below 0 cuts them
    aligned: float = 0.5  # probability that the grid runs within a few degrees of the frame
    standing_castle: float = 0.3
    pieces: float = 0.5  # probability that Queendomino kingdoms hold buildings, knights and towers
    court: float = 0.5  # probability that an XXXL table has The Court
    castleless: float = 0.0  # probability that the starting tile is missing
    hand: float = 0.05  # probability that a hand reaches into the frame; it may overlap a kingdom
    overlap: float = 0.03  # probability that a thing of clutter may lie over a kingdom's edge
    tiles: TileSource = field(default_factory=DrawnTiles)
    tables: TableSource = field(default_factory=DrawnTables)
    effects: Effects = field(default_factory=Effects)


def bare_tables(recipe: Recipe) -> Recipe:
    """The same recipe without any kingdom: tables and clutter only."""
    return replace(recipe, kingdoms=(0, 0))


def sample_photos(recipe: Recipe) -> Recipe:
    """The same recipe in the house style and in kind light: pictures to show to people."""
    return replace(
        recipe,
        tiles=DrawnTiles(variety=0.15),
        tilt=(5.0, 30.0),
        clutter=(0.2, 0.6),
        margin=(0.04, 0.1),
        hand=0.0,
        overlap=0.0,
        effects=Effects(glare=0.15, defocus=0.0, motion=0.0, strength=0.4),
    )
