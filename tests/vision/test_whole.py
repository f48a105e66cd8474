"""A kingdom seen as a whole: the straight picture of it, and what is read from that."""

from __future__ import annotations

import cv2
import numpy as np

from scorer.calibration.teaching import answers_of
from scorer.render import DrawnTables, DrawnTiles, Recipe, render
from scorer.rules.notation import parse_square
from scorer.vision.pieces import HEADS, by_head
from scorer.vision.rectify import Pyramid, frame
from scorer.vision.seen import lattice_at
from scorer.vision.whole import BORDER, SQUARE, answers, straight


def test_every_place_lies_where_it_is_looked_for() -> None:
    colours = np.arange(6, dtype=np.uint8).reshape(2, 3) * 40 + 20
    photo = np.ascontiguousarray(np.repeat(cv2.resize(colours, (600, 400), interpolation=0)[..., None], 3, 2))
    homography = cv2.getPerspectiveTransform(frame(3, 2), frame(600, 400))
    picture = straight(Pyramid.of(photo), homography, 2, 3)
    assert picture.shape == (SQUARE * 3, SQUARE * 4, 3)
    middles = (np.arange(2)[:, None] + BORDER + 0.5) * SQUARE, (np.arange(3) + BORDER + 0.5) * SQUARE
    assert (picture[middles[0].astype(int), middles[1].astype(int), 0] == colours).all()
    assert (picture[: SQUARE // 4] == 0).all()


def test_pieces_of_a_rendered_kingdom_are_seen() -> None:
    recipe = Recipe(
        photo_sizes=((1600, 1200),),
        kingdoms=(1, 1),
        rules=("queendomino",),
        sizes=(5,),
        tilt=(0.0, 20.0),
        pieces=1.0,
        tiles=DrawnTiles(),
        tables=DrawnTables(),
    )
    scene = render(7_000_001, recipe=recipe)
    (kingdom,) = scene.kingdoms
    rows, columns = kingdom.hidden.shape
    pyramid = Pyramid.of(scene.image)
    lattice = lattice_at(pyramid, kingdom.corners, rows, columns)
    said = by_head(answers(pyramid, lattice.homography, rows, columns)["pieces"], HEADS)
    true = [answers_of(parse_square(cell), "classify") for row in kingdom.grid for cell in row]
    wrong = [
        (name, right[name])
        for name in ("knight", "tower", "queen", "building")
        for right, read in zip(true, said[name].argmax(1), strict=True)
        if name in right and right[name] != read
    ]
    assert len(wrong) <= 1, wrong
    assert sum(right.get("knight", 0) + right.get("tower", 0) for right in true) >= 3
