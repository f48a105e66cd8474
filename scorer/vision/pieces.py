"""What lies and stands on a square beside its terrain: building, meeples, the expansions' tiles and resources."""

from __future__ import annotations

from scorer.rules.catalogue import BUILDINGS, TERRAINS

HEADS: dict[str, tuple[str, ...]] = {
    "building": ("", "red", "grey"),
    "knight": ("0", "1", "2"),
    "tower": ("0", "1", "2", "3"),
    "queen": ("0", "1"),
    "giant": ("0", "1"),
    "king": ("0", "1"),
    "dragon": ("0", "1"),
    "castle": ("0", "1"),
    "coin1": ("0", "1", "2"),
    "coin3": ("0", "1", "2"),
    "coin9": ("0", "1", "2"),
    "resource": ("", "wheat", "wood", "fish", "sheep"),
    "court": (
        "",
        *("farmer", "lumberjack", "fisherman", "shepherdess", "merchant", "captain"),
        *("light_archer", "heavy_archer", "axe_warrior", "sword_warrior", "king", "queen"),
        *("wheat1", "forest1", "lake1", "grassland1", "grassland2", "swamp1", "swamp2"),
        "~",
    ),
}
"""What the network is asked of every square, and the answers in the order of its `pieces` output."""

SIGNS: dict[str, tuple[str, ...]] = {
    "side": ("red", "grey"),
    "shield": ("0", "1", "2", "3", "5"),
    "cross": ("", *TERRAINS),
    "per": ("", "tower", "knight"),
    "crown": ("0", "1"),
    "label": ("", "tower", "knight"),
    "picture": tuple(BUILDINGS),
}
"""What is asked of a square with a building: the signs printed on it, and last whose picture it is."""
