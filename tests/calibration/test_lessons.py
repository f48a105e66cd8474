"""Lessons on made-up embeddings: what is new is learnt, what is known stays, slips are noticed."""

import numpy as np
import pytest

from scorer.calibration.anchors import Anchors, Sense
from scorer.calibration.lessons import Examples, Studied, believed, study
from scorer.vision.pieces import softmax
from scorer.vision.rectify import Floats

SIZE, KINDS = 24, 4
NEW = 3
"""A kind of square that the network never saw: its last answer is never given."""


def squares(count: int, seed: int) -> tuple[Floats, np.ndarray]:
    """Embeddings of squares, each kind around a place of its own, and their kinds."""
    middles = np.random.default_rng(0).normal(0, 3, (KINDS, SIZE))
    rng = np.random.default_rng(seed)
    kinds = rng.integers(KINDS, size=count)
    return (middles[kinds] + rng.normal(0, 1, (count, SIZE))).astype(np.float32), kinds


def said(embedding: Floats) -> Floats:
    """A network that knows all kinds but NEW."""
    middles = np.random.default_rng(0).normal(0, 3, (KINDS, SIZE))
    logits = -0.03 * ((embedding[:, None] - middles) ** 2).sum(-1)
    logits[:, NEW] = logits[:, :NEW].max(1) - 8
    return logits.astype(np.float32)


@pytest.fixture(scope="module")
def held() -> Anchors:
    embedding, kinds = squares(600, 1)
    embedding, kinds = embedding[kinds != NEW], kinds[kinds != NEW]
    sense = Sense.of(embedding, kinds)
    return Anchors((sense,), sense.view(embedding[:60]), {"terrain": said(embedding[:60])})


def known_as(held: Anchors, embedding: Floats, right: np.ndarray) -> Examples:
    """Squares without copies."""
    numbers = np.arange(len(right))
    return Examples(held.view(embedding), said(embedding), right, numbers, numbers)


def examples(held: Anchors, count: int, seed: int, slips: int = 0) -> Examples:
    embedding, kinds = squares(count, seed)
    right = kinds.copy()
    right[:slips] = (right[:slips] + 1) % KINDS
    return known_as(held, embedding, right)


def misread(test: Examples, studied: Studied) -> int:
    return test.wrong(test.said + test.views @ studied.lesson)


def test_a_new_kind_is_learnt_and_the_known_ones_stay(held: Anchors) -> None:
    taught, test = examples(held, 40, 2), examples(held, 400, 3)
    studied = study(taught, held, "terrain")
    assert test.wrong(test.said) == (test.right == NEW).sum() > 80
    assert misread(test, studied) <= 4
    assert taught.wrong(studied.after) <= 2


def test_what_is_read_right_already_teaches_next_to_nothing(held: Anchors) -> None:
    embedding, kinds = squares(60, 4)
    known = kinds != NEW
    taught = known_as(held, embedding[known], kinds[known])
    studied = study(taught, held, "terrain")
    assert taught.wrong(studied.after) == 0
    assert np.abs(taught.views @ studied.lesson).max() < 1.2


def test_slips_are_noticed(held: Anchors) -> None:
    taught = examples(held, 100, 5, slips=10)
    kept = believed(taught, held, "terrain")
    assert kept[:10].sum() <= 1
    assert kept[10:].sum() >= 88
    assert misread(examples(held, 400, 6), study(taught, held, "terrain")) <= 6


def test_a_single_example_of_new_art_is_believed(held: Anchors) -> None:
    embedding, kinds = squares(60, 7)
    one = np.flatnonzero(kinds == NEW)[0]
    which = [*np.flatnonzero(kinds != NEW)[:12], one]
    taught = known_as(held, embedding[which], kinds[which])
    assert believed(taught, held, "terrain").all()
    test = examples(held, 400, 8)
    assert misread(test, study(taught, held, "terrain")) < 0.2 * test.wrong(test.said)


def test_copies_go_with_their_square() -> None:
    views = np.arange(12, dtype=np.float32).reshape(6, 2)
    three = Examples(views, views, np.array([2, 0, 1]), np.array([7, 8, 9]), np.array([0, 1, 2, 0, 2, 2]))
    part = three.part(np.array([False, True, True]))
    assert part.views[:, 0].tolist() == [2, 4, 8, 10]
    assert part.squares.tolist() == [0, 1, 1, 1]
    assert part.right.tolist() == [0, 1]
    assert part.groups.tolist() == [8, 9]


def test_copies_make_a_lesson_hold_for_more(held: Anchors) -> None:
    embedding, kinds = squares(60, 9)
    which = [*np.flatnonzero(kinds != NEW)[:12], *np.flatnonzero(kinds == NEW)[:2]]
    few = known_as(held, embedding[which], kinds[which])
    rng = np.random.default_rng(10)
    copies = np.repeat([12, 13], 20)
    varied = (embedding[which][copies] + rng.normal(0, 1.5, (40, SIZE))).astype(np.float32)
    many = Examples(
        np.concatenate([few.views, held.view(varied)]),
        np.concatenate([few.said, said(varied)]),
        few.right,
        few.groups,
        np.concatenate([few.squares, copies]),
    )
    test = examples(held, 400, 11)
    new = test.right == NEW
    sure = [softmax(test.after(study(taught, held, "terrain").lesson))[new, NEW].mean() for taught in (few, many)]
    assert 1 - sure[1] < 0.2 * (1 - sure[0])
    assert len(study(many, held, "terrain").after) == 14
