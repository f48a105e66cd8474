"""Printed pictures are known again whatever the light and the side they are seen from, and never for another."""

import cv2
import numpy as np
import pytest

from scorer.calibration.prints import CHANCE, DETAIL, SAME, Details, Prints, agreeing, details
from scorer.render.buildings import building_tile
from scorer.render.style import draw_style
from scorer.vision.pieces import SIZE
from scorer.vision.rectify import Image

TILES = ("bakery", "foundry", "queens_tower", "travelling_castle")


def tile(name: str, seed: int = 0) -> Image:
    """A building in the middle of a crop, as one edition prints it."""
    rng = np.random.default_rng(len(name))
    face = building_tile(name, False, SIZE, draw_style(rng), rng)
    return photographed(face, seed)


def photographed(face: Image, seed: int) -> Image:
    rng = np.random.default_rng(seed)
    turn = 90 * int(rng.integers(4)) + float(rng.uniform(-6, 6))
    matrix = cv2.getRotationMatrix2D((SIZE / 2, SIZE / 2), turn, 0.72)
    matrix[:, 2] += rng.uniform(-3, 3, 2)
    ground = (60, 90, 120)
    seen = cv2.warpAffine(face, matrix, (SIZE, SIZE), flags=cv2.INTER_AREA, borderValue=ground).astype(np.float32)
    lit = 255 * (seen / 255) ** rng.uniform(0.7, 1.4) * rng.uniform(0.6, 1.0, 3)
    return np.clip(lit + rng.normal(0, 3, lit.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", TILES)
def test_two_photos_of_one_print_agree_and_of_two_prints_do_not(name: str) -> None:
    seen = details(tile(name, 1))
    assert agreeing(seen, details(tile(name, 2))) >= SAME["buildings"][0]
    assert all(agreeing(seen, details(tile(other, 3))) < SAME["buildings"][0] for other in TILES if other != name)


def test_a_plain_surface_has_nothing_to_agree_in() -> None:
    plain = details(np.full((SIZE, SIZE, 3), 128, np.uint8))
    assert agreeing(plain, plain) == agreeing(plain, details(tile(TILES[0]))) == 0
    assert isinstance(plain, Details)


def test_a_print_gives_its_answers_where_others_were_read() -> None:
    taught = np.stack([tile(name, 4) for name in TILES])
    seen = np.stack([tile(TILES[1], 5), tile("church", 6)])
    views = np.tile(np.eye(3, dtype=np.float32)[:1], (len(TILES), 1))
    prints = Prints("buildings", views, [{"picture": k} for k in range(len(TILES))], taught.__getitem__)
    said = {"picture": np.zeros((2, 9), np.float32), "shield": np.zeros((2, 5), np.float32)}
    said["picture"][:, 8] = 3
    known = prints.known(views[:2], seen, said, said)
    assert known["picture"].argmax(1).tolist() == [1, 8]
    assert known["picture"][0, 1] >= DETAIL * (SAME["buildings"][0] - CHANCE)
    assert (known["shield"] == 0).all()
    assert (said["picture"][:, 1] == 0).all()


def test_what_is_set_aside_gives_no_answers() -> None:
    taught = np.stack([tile(TILES[0], 7)])
    prints = Prints("buildings", np.zeros((1, 3), np.float32), [{"picture": 2}], taught.__getitem__)
    said = {"picture": np.zeros((1, 9), np.float32)}
    assert (prints.known(np.eye(3, dtype=np.float32)[:1], taught, said, said)["picture"] == 0).all()
