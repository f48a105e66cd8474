"""What lies beside a kingdom: knights of the guard, towers, the Queen and coins, counted as a proposal.

Whose they are and whether more of them are out of sight no photo tells: each count is a doubt that the user settles.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from scorer.rules import Doubt, Kingdom
from scorer.rules.catalogue import TERRAINS
from scorer.rules.message import Term, msg
from scorer.vision.classify import MARGIN, SIZE, glance
from scorer.vision.locate import Lattice
from scorer.vision.pieces import HEADS, SURE, split
from scorer.vision.rectify import Pyramid, places, project, quad_views

REACH = 2
"""Squares around a kingdom in which pieces are taken for its player's."""
EMPTY = len(TERRAINS) + 1
"""The answer "nothing laid here" of the network's terrain."""
COINS = {"coin1": 1, "coin3": 3, "coin9": 9}


def beside(pyramid: Pyramid, lattice: Lattice) -> Counter[str]:
    """How many pieces of each kind lie on the bare table around a kingdom."""
    grid = places(lattice.rows + 2 * REACH, lattice.columns + 2 * REACH) - REACH
    middle = grid.mean(axis=2)
    around = ~((middle > 0).all(axis=2) & (middle < (lattice.columns, lattice.rows)).all(axis=2))
    quads = project(grid[around], lattice.homography)
    height, width = pyramid.image.shape[:2]
    quads = quads[((quads > 0) & (quads < (width, height))).all(axis=(1, 2))]
    found: Counter[str] = Counter()
    if len(quads):
        said = glance(quad_views(pyramid, quads, SIZE, MARGIN))
        bare = said["terrain"].argmax(axis=1) == EMPTY
        for name, likely in split(said["pieces"][bare], HEADS).items():
            if name in ("knight", "tower", "queen", *COINS):
                sure = likely.max(axis=1) >= SURE
                found[name] = int(likely.argmax(axis=1)[sure].sum())
    return +found


def propose(kingdom: Kingdom, found: Counter[str]) -> tuple[Kingdom, tuple[Doubt, ...]]:
    """The kingdom with what lies beside it taken as its player's, and a doubt about each."""
    coins = sum(value * found[coin] for coin, value in COINS.items())
    stated = {
        "guard": (found["knight"], "Knights"),
        "towers": (found["tower"], "Towers"),
        "coins": (coins, "Coins"),
    }
    doubts = []
    for key, (count, name) in stated.items():
        if count:
            kingdom = replace(kingdom, **{key: count})  # type: ignore[arg-type]
            text = msg("{what} beside the kingdom: {count} counted, please confirm", what=Term(name), count=count)
            doubts.append(Doubt("beside", text, read=f"{key}: {count}", needed=False))
    if found["queen"] and not any(square.queen for _, square in kingdom.squares()):
        kingdom = replace(kingdom, queen="yes")
        text = msg("the Queen beside the kingdom is taken for its guest, please confirm")
        doubts.append(Doubt("beside", text, read="queen: yes", needed=False))
    return kingdom, tuple(doubts)
