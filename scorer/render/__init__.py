"""Renders photos of kingdoms that were never laid: training scenes, test scenes and the shipped samples.

lay -> layout -> build -> stage -> camera -> photograph. `render(seed, recipe=...)` does it all and returns the truth
as well; `python -m scorer.render --help` writes pictures.
"""

from scorer.render.photograph import Effects
from scorer.render.photographed import PhotographedTables, PhotographedTiles
from scorer.render.recipe import Recipe, bare_tables, sample_photos
from scorer.render.scene import Scene, render
from scorer.render.sources import DrawnTiles, MixedTiles
from scorer.render.tables import ChequeredTables, DrawnTables, MixedTables, VariedTables
from scorer.render.truth import TrueKingdom, TruePiece

__all__ = [
    "ChequeredTables",
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
    "TruePiece",
    "VariedTables",
    "bare_tables",
    "render",
    "sample_photos",
]
