"""All squares of a photo read together."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from scorer.vision.classify import EMPTY, LABELS
from scorer.vision.context import SHOWN, together
from scorer.vision.reading import sight
from scorer.vision.seen import Seen

PHOTO = Path(__file__).parents[2] / "samples" / "photos" / "kingdomino.jpg"


def company() -> tuple[Seen, np.ndarray, list[np.ndarray]]:
    (seen,) = sight(PHOTO).kingdoms
    return seen, seen.squares.reshape(-1, *seen.squares.shape[2:]), [seen.said[name] for name in SHOWN]


def test_what_the_others_say_does_not_depend_on_their_order() -> None:
    seen, squares, said = company()
    order = np.random.default_rng(0).permutation(len(squares))
    mixed = together(squares[order], *(values[order] for values in said))
    assert np.allclose(mixed, seen.context[order], atol=1e-3)


def test_a_square_is_judged_by_its_company() -> None:
    seen, squares, said = company()
    alone = np.concatenate([together(squares[[k]], *(values[[k]] for values in said)) for k in range(len(squares))])
    assert np.abs(alone - seen.context).max() > 0.5


def test_a_plain_photo_is_read_alike_with_and_without_company() -> None:
    seen, _, _ = company()
    terrains = [label[0] for label in LABELS if label.endswith("0") or len(label) == 1]
    assert terrains[-1] == EMPTY
    assert (seen.said["terrain"].argmax(1) == (seen.said["terrain"] + seen.context).argmax(1)).all()
