"""Renders photos of kingdoms that were never laid: training scenes, test scenes and the shipped samples.

lay -> build -> stage -> camera -> photograph; `render(seed, recipe=...)` does it all and returns the truth as well.
"""

from scorer.render.photograph import Effects
from scorer.render.photographed import PhotographedTables, PhotographedTiles
from scorer.render.scene import Recipe, Scene, TrueKingdom, bare_tables, render
from scorer.render.sources import DrawnTiles, MixedTiles
from scorer.render.tables import DrawnTables, MixedTables

__all__ = [
    "DrawnTables",
    "DrawnTiles",
    "Effects",
    "MixedTables",
    "MixedTiles",
    "PhotographedTables",
    "PhotographedTiles",
    "Recipe",
    "Scene",
    "TrueKingdom",
    "bare_tables",
    "render",
]
