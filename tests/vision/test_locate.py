"""Locating: from squares to lattices, straight views, and whole rendered photos."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from scorer.errors import ModelError
from scorer.render import Recipe, bare_tables, render
from scorer.vision import models, straighten
from scorer.vision.classify import LABELS
from scorer.vision.lattice import fit_homography, grow, upright
from scorer.vision.layable import groups
from scorer.vision.likeness import apart, looks
from scorer.vision.locate import Lattice, _joined, crops, locate
from scorer.vision.rectify import Pyramid, places, project, quad_views, side
from scorer.vision.spot import FINER_SIDES, LONG_SIDES, PADDING, REFERENCE_SIDE, STRIDE, Squares, answer_for, squares_in
from scorer.vision.straighten import FAR, SQUARE

OBLIQUE = np.array([[60.0, -8.0, 300.0], [12.0, 45.0, 200.0], [0.0004, 0.02, 1.0]])


def squares_on(homography: np.ndarray, occupied: np.ndarray, seed: int = 0, noise: float = 0.03) -> Squares:
    """Squares as the network would spot them: off by some noise, steps in no order and of either sign."""
    rng = np.random.default_rng(seed)
    row, column = np.nonzero(occupied)
    at = np.stack([column, row], -1) + 0.5
    centre = project(at, homography).astype(float)
    x, y = np.array([0.5, 0]), np.array([0, 0.5])
    along = project(at + x, homography) - project(at - x, homography)
    down = project(at + y, homography) - project(at - y, homography)
    steps = np.stack([along[:, 0] + 1j * along[:, 1], down[:, 0] + 1j * down[:, 1]], -1)
    width = np.sqrt(np.abs((steps[:, 0].conj() * steps[:, 1]).imag))
    steps = np.where(rng.random((len(at), 1)) < 0.5, steps, steps[:, ::-1]) * rng.choice([-1, 1], steps.shape)
    centre = centre + rng.normal(0, noise, centre.shape) * width[:, None]
    order = rng.permutation(len(at))
    ones = np.ones(len(at))
    return Squares(centre[order], steps[order], width[order], ones, 0 * ones)


def both(one: Squares, other: Squares) -> Squares:
    return Squares(*(np.concatenate([getattr(one, name), getattr(other, name)]) for name in Squares.__annotations__))


HOLED = np.array([[1, 1, 0, 0, 1], [1, 1, 1, 1, 1], [0, 1, 0, 1, 1], [1, 1, 1, 1, 0]], bool)


def test_squares_of_an_oblique_kingdom_with_holes_grow_into_its_lattice():
    (patch,) = grow(squares_on(OBLIQUE, HOLED))
    seen = np.zeros_like(HOLED)
    seen[patch.place[:, 1], patch.place[:, 0]] = True
    assert (seen == HOLED).all()
    outer = np.array([[0, 0], [5, 0], [5, 4], [0, 4]])
    off = np.linalg.norm(project(outer, patch.homography) - project(outer, OBLIQUE), axis=1)
    assert off.max() < 0.2 * side(OBLIQUE, 2.5, 2)


def test_kingdoms_side_by_side_but_half_a_square_shifted_stay_apart():
    beside = np.array([[50.0, 0, 100], [0, 50, 100], [0, 0, 1]])
    shifted = np.array([[50.0, 0, 350], [0, 50, 125], [0, 0, 1]])
    full = np.ones((5, 5), bool)
    patches = grow(both(squares_on(beside, full), squares_on(shifted, full, seed=1)))
    assert sorted(len(patch.index) for patch in patches) == [25, 25]


def test_on_the_plane_of_another_kingdom_squares_seen_badly_still_grow_into_their_lattice():
    turned = OBLIQUE @ np.array([[0.8, -0.6, 4.0], [0.6, 0.8, 3.0], [0, 0, 1]])
    small = np.array([[1, 1, 1], [0, 1, 1]], bool)
    seen = squares_on(turned, small)
    squashed = replace(seen, steps=seen.steps.real + 1.5j * seen.steps.imag)
    outer = np.array([[0, 0], [3, 0], [3, 2], [0, 2]])
    width = side(turned, 1.5, 1)

    def furthest(plane: np.ndarray | None) -> float:
        (patch,) = grow(squashed, plane)
        found, true = project(outer, patch.homography), project(outer, turned)
        return min(np.linalg.norm(np.roll(found, k, axis=0) - true, axis=1).max() for k in range(4)) / width

    assert furthest(OBLIQUE) < 0.1 < furthest(None)


PARTED = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 0]], bool)
"""Six squares around a castle that hides its tile: no two dominoes side by side."""


def test_on_a_known_plane_what_a_castle_parts_grows_together():
    squares = squares_on(OBLIQUE, PARTED)
    (patch,) = grow(squares, OBLIQUE)
    assert {tuple(place) for place in patch.place} == {(c, r) for r, c in np.argwhere(PARTED)}
    assert grow(squares) == []


def test_squares_of_another_size_do_not_lie_on_the_plane():
    larger = OBLIQUE @ np.diag([1.8, 1.8, 1.0])
    assert grow(squares_on(larger, HOLED), OBLIQUE) == []


def test_three_loose_squares_are_no_kingdom():
    assert grow(squares_on(OBLIQUE, np.ones((1, 3), bool))) == []


@pytest.mark.parametrize("quarter", range(4))
def test_rows_run_to_the_right_however_the_lattice_was_found(quarter: int):
    angle = quarter * np.pi / 2 + 0.3
    turned = np.array([[np.cos(angle), -np.sin(angle), 5], [np.sin(angle), np.cos(angle), 9], [0, 0, 1]]) @ np.diag(
        [40, 40, 1.0]
    )
    place = np.array([[0, 0], [1, 0], [2, 0], [2, 1]])
    moved, homography = upright(place, turned)
    assert np.allclose(project(moved + 0.5, homography), project(place + 0.5, turned), atol=1e-3)
    across = project(np.array([[0, 0], [1, 0]]), homography)
    assert across[1, 0] - across[0, 0] > abs(across[1, 1] - across[0, 1])
    assert moved.min() == 0


def test_a_lattice_fitted_by_a_mirror_image_is_mirrored_back():
    place = np.argwhere(HOLED)[:, ::-1]
    mirrored = np.stack([4 - place[:, 0], place[:, 1]], -1)
    back = OBLIQUE @ np.array([[-1, 0, 5], [0, 1, 0], [0, 0, 1.0]])
    turned, homography = upright(mirrored, back)
    assert (turned == place).all()
    assert np.allclose(homography, OBLIQUE)


def test_a_kingdom_parted_at_no_castle_is_joined_again():
    scene = render(3, recipe=replace(Recipe(), kingdoms=(1, 1), sizes=(5,), rules=("kingdomino",), filled=(1.0, 1.0)))
    pyramid = Pyramid.of(scene.image)
    (whole,) = locate(pyramid)
    rows = whole.rows // 2
    upper, lower = (_rows_of(whole, part) for part in (slice(0, rows), slice(rows, whole.rows)))
    (joined,) = _joined(pyramid, [upper, replace(lower, castle=None)])
    assert ((joined.occupied > 0.5) == (whole.occupied > 0.5)).all()
    # Half a square further they would be two kingdoms.
    aside = replace(lower, homography=lower.homography @ np.array([[1, 0, 0.5], [0, 1, 0], [0, 0, 1.0]]))
    aside = replace(aside, quads=project(places(aside.rows, aside.columns), aside.homography))
    assert len(_joined(pyramid, [upper, aside])) == 2


def _rows_of(lattice: Lattice, rows: slice) -> Lattice:
    shift = np.array([[1, 0, 0], [0, 1, rows.start], [0, 0, 1.0]])
    quads, occupied = lattice.quads[rows], lattice.occupied[rows]
    return replace(
        lattice, homography=lattice.homography @ shift, rows=len(quads), quads=quads, occupied=occupied, castle=(0, 0)
    )


def test_a_homography_ignores_a_few_squares_that_were_misplaced():
    grid = places(5, 5).reshape(-1, 2)
    photo = project(grid, OBLIQUE).astype(float)
    photo[::23] += 40
    assert np.allclose(project(grid, fit_homography(grid, photo)), project(grid, OBLIQUE), atol=0.5)


def test_an_answer_is_read_back_as_the_square_it_describes():
    u, v = 30 + 10j, -12 + 28j
    width = np.sqrt((u.conjugate() * v).imag)
    answer = np.zeros((10, 24, 24), np.float32)
    answer[0], answer[1] = 9, -9
    answer[1, 10, 8] = 5
    answer[3:5, 10, 8] = 0.1, -0.2
    answer[5, 10, 8] = np.log(width / REFERENCE_SIDE)
    total, product = (u * u + v * v) / width**2, (u * v) ** 2 / width**4
    answer[6:10, 10, 8] = total.real, total.imag, product.real, product.imag
    squares = squares_in(answer, np.array([2.0, 2.0]))
    assert len(squares) == 1
    pixel = (np.array([8, 10]) + 0.5) * STRIDE - 0.5 - PADDING + np.array([0.1, -0.2]) * width
    assert np.allclose(squares.centre[0], pixel * 2 + 0.5)
    assert {complex(round(z.real), round(z.imag)) for z in squares.steps[0]} <= {2 * u, -2 * u, 2 * v, -2 * v}


def test_places_that_touch_by_a_corner_only_are_twogroups():
    seen = np.array([[1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]], bool)
    assert sorted(int(group.sum()) for group in groups(seen)) == [1, 1, 3]


def test_straight_views_show_each_quad_upright():
    colours = np.random.default_rng(0).integers(0, 256, (3, 4, 3)).astype(np.uint8)
    image = colours.repeat(100, 0).repeat(100, 1)
    quads = (places(3, 4) * 100 - 0.5).astype(np.float32).reshape(-1, 4, 2)
    views = quad_views(Pyramid.of(image), quads, 24, -0.2)
    assert views.shape == (12, 24, 24, 3)
    assert (views == colours.reshape(12, 1, 1, 3)).all()


def test_a_missing_or_changed_model_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    models.load.cache_clear()
    with pytest.raises(ModelError, match="missing"):
        models.load("locate")
    (tmp_path / "locate.onnx").write_bytes(b"not the model")
    with pytest.raises(ModelError, match="checksum"):
        models.load("locate")
    monkeypatch.setitem(models.CHECKSUMS, "locate", hashlib.sha256(b"not the model").hexdigest())
    with pytest.raises(ModelError, match="cannot be used"):
        models.load("locate")
    models.load.cache_clear()


PLAIN = Recipe(kingdoms=(1, 1), sizes=(5,), clutter=(0.0, 0.2), square_pixels=(60.0, 80.0), hand=0.0, overlap=0.0)


@pytest.mark.parametrize("seed", [71, 75, 76])
def test_a_rendered_kingdom_is_located_with_every_place(seed: int):
    scene = render(seed, recipe=PLAIN)
    (truth,) = scene.kingdoms
    (lattice,) = locate(scene.image)
    tiles = np.array([[cell != "." for cell in line] for line in truth.grid])
    assert ((lattice.occupied > 0.5) == tiles).all()
    width = side(lattice.homography, lattice.columns / 2, lattice.rows / 2)
    assert np.linalg.norm(lattice.corners - truth.corners, axis=1).max() < 0.2 * width
    assert crops(scene.image, lattice).shape == (tiles.size, 72, 72, 3)


TOUCHING = replace(PLAIN, kingdoms=(2, 2), distance=(0.0, 0.05))


@pytest.mark.parametrize("seed", [1, 7])
def test_kingdoms_that_touch_keep_their_own_tiles(seed: int):
    scene = render(seed, recipe=TOUCHING)
    found = [lattice.quads[lattice.occupied > 0.5].mean(1) for lattice in locate(scene.image)]
    for truth in scene.kingdoms:
        own = truth.quads[np.array(truth.grid) != "."].mean(1)
        near = TOUCHING.square_pixels[0] / 3
        off = [np.linalg.norm(tiles[:, None] - own, axis=2).min(1) for tiles in found if len(tiles) == len(own)]
        assert sum(bool((each < near).all()) for each in off) == 1


def test_where_no_kingdom_is_found_every_size_of_the_photo_is_looked_at(monkeypatch: pytest.MonkeyPatch):
    """Chequers as wide as a hand pass for large squares, near enough to need no finer look."""
    image = render(71, recipe=PLAIN).image
    shown = []
    monkeypatch.setattr("scorer.vision.spot._near", lambda squares, scale: True)
    monkeypatch.setattr("scorer.vision.spot.LEAST_SURE", 1.0)
    monkeypatch.setattr(
        "scorer.vision.spot.answer_for", lambda small: shown.append(max(small.shape)) or answer_for(small)
    )
    assert locate(image) == []
    assert shown == [*LONG_SIDES, *LONG_SIDES, *FINER_SIDES]


def test_bricks_that_are_all_of_one_kind_are_no_kingdom(monkeypatch: pytest.MonkeyPatch):
    image = render(71, recipe=PLAIN).image
    alike = np.full((1, len(LABELS)), -9.0)
    alike[0, 3] = 0.0
    monkeypatch.setattr("scorer.vision.locate.classify_wider", lambda crops: alike.repeat(len(crops), 0))
    assert locate(image) == []


def test_an_empty_table_has_no_kingdom():
    assert locate(render(74, recipe=bare_tables(PLAIN)).image) == []


def test_pictures_without_content_have_no_kingdom():
    assert locate(np.full((40, 900, 3), 128, np.uint8)) == []
    assert locate(np.zeros((1, 1, 3), np.uint8)) == []


def test_a_place_looks_more_like_the_table_than_like_tiles_where_it_is_the_table():
    rng = np.random.default_rng(0)
    table, tile = rng.normal(120, 3, (4, 2, 1)), rng.normal(120, 30, (4, 2, 1))
    # Lake-blue both: only the drawing differs.
    picture = np.zeros((4, 3, SQUARE, SQUARE, 3), np.float32)
    picture[:, 0] = (20, 90, 180) + 0.02 * table[:, 0, None, None]
    picture[:, 2] = (20, 90, 180)
    picture[:, 2, ::4] += 40 + 0.1 * tile[:, 1, None, None]
    picture[:2, 1], picture[2:, 1] = picture[:2, 0], picture[2:, 2]
    seen = looks(np.clip(picture.reshape(12, SQUARE, SQUARE, 3), 0, 255).astype(np.uint8)).reshape(4, 3, -1)
    nearer = apart(seen[:, 1], seen[:, 0], FAR) < apart(seen[:, 1], seen[:, 2], FAR)
    assert nearer.tolist() == [True, True, False, False]
    # Where no table is sure, nothing is like it.
    assert (apart(seen[:, 1], seen[:0, 0], FAR) > apart(seen[:, 1], seen[:, 0], FAR))[:2].all()


def test_nothing_lies_beyond_a_kingdom_as_wide_as_what_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def tiles_everywhere(_: Pyramid, homography: np.ndarray, rows: int, columns: int) -> straighten.Look:
        tall, wide = rows + 2, columns + 2
        corners = places(tall, wide).astype(np.float32) - 1
        sure = np.full((tall, wide), 8.0, np.float32)
        return straighten.Look(np.zeros((tall, wide, 3), np.uint8), sure, -sure, corners, corners)

    monkeypatch.setattr(straighten, "look", tiles_everywhere)
    monkeypatch.setattr(straighten, "ROUNDS", 3)
    photo = Pyramid.of(np.zeros((64, 64, 3), np.uint8))
    found = straighten.settle(photo, np.eye(3), 1, 1, straighten.NOWHERE)
    assert found is not None
    assert found.tile.shape == (7, 7)
    assert found.beyond < 0.01
