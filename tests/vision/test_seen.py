"""What is seen before it is decoded: the weight of witnesses, and a second opinion on kingdoms."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scorer.rules.catalogue import TERRAINS
from scorer.vision.classify import LABELS
from scorer.vision.seen import kingdoms_among
from scorer.vision.trust import Trust

CASTLE, EMPTY = len(TERRAINS), len(TERRAINS) + 1
EVEN = Trust("", terrain=1.0, crowns=1.0, tile=1.0, castle=2.0, context=1.0)


def logits(*terrains: int, sure: float = 6.0) -> tuple[np.ndarray, np.ndarray]:
    """A network that is so sure of these terrains and of no crown."""
    terrain = np.zeros((len(terrains), EMPTY + 1), np.float32)
    terrain[np.arange(len(terrains)), terrains] = sure
    crowns = np.zeros((len(terrains), 4), np.float32)
    crowns[:, 0] = sure
    return terrain, crowns


def share(
    trust: Trust, label: str, tile: float, castle: float, *logits: np.ndarray, context: np.ndarray | float = 0.0
) -> float:
    joint = trust.joint(*logits, np.array([tile]), np.array([castle]), np.zeros_like(logits[0]) + context)
    assert np.exp(joint).sum() == pytest.approx(1, abs=1e-4)
    return float(np.exp(joint[0, LABELS.index(label)]))


def test_witnesses_that_agree_are_surer_than_one() -> None:
    wheat = logits(0)
    alone = share(EVEN, "w0", 0.5, np.nan, *wheat)
    assert share(EVEN, "w0", 0.99, np.nan, *wheat) > alone
    assert share(EVEN, "w0", 0.01, np.nan, *wheat) < alone
    assert share(EVEN, ".", 0.01, np.nan, *logits(EMPTY)) > share(EVEN, ".", 0.5, np.nan, *logits(EMPTY))


def test_the_locator_knows_where_the_castle_stands() -> None:
    torn = logits(0)
    torn[0][0, CASTLE] = 6.0
    assert share(EVEN, "C", 0.5, 1.0, *torn) > 0.8
    assert share(EVEN, "C", 0.5, 0.0, *torn) < 0.2
    assert share(EVEN, "C", 0.5, np.nan, *torn) == pytest.approx(0.5, abs=0.02)


def test_the_other_squares_decide_between_what_the_network_cannot_tell_apart() -> None:
    torn = logits(0)
    torn[0][0, 3] = 6.0
    like = np.eye(EMPTY + 1)[[3]]
    assert share(EVEN, "g0", 0.5, np.nan, *torn, context=2 * like) > 0.8
    assert share(EVEN, "g0", 0.5, np.nan, *torn, context=-2 * like) < 0.2


def test_a_temperature_makes_less_sure() -> None:
    cool = Trust("", terrain=3.0, crowns=1.0, tile=1.0, castle=2.0, context=1.0)
    assert share(cool, "w0", 0.5, np.nan, *logits(0)) < share(EVEN, "w0", 0.5, np.nan, *logits(0))
    assert share(EVEN, "w0", 1.0, np.nan, *logits(0)) <= 1


def seen(*terrains: int, castle: tuple[int, int] | None = None) -> Any:
    terrain, crowns = logits(*terrains)
    lattice = SimpleNamespace(occupied=np.ones((1, len(terrains)), np.float32), castle=castle)
    return SimpleNamespace(said={"terrain": terrain, "crowns": crowns}, lattice=lattice)


def test_a_chequered_cloth_is_no_kingdom() -> None:
    kingdom, cloth = seen(CASTLE, 0, 1, 2, 3), seen(EMPTY, EMPTY, EMPTY, EMPTY, 2, castle=(0, 0))
    assert kingdoms_among([cloth, kingdom]) == (kingdom,)
    assert kingdoms_among([cloth]) == ()


def test_dominoes_beside_a_kingdom_are_no_kingdom() -> None:
    kingdom, row = seen(CASTLE, *[0] * 8), seen(0, 1, 2, 3)
    assert kingdoms_among([row, kingdom]) == (kingdom,)
    # Alone they may be a kingdom whose castle nobody recognised, and so may as many again.
    assert kingdoms_among([row]) == (row,)
    large = seen(*[0] * 8)
    assert kingdoms_among([large, kingdom]) == (large, kingdom)
