"""Rendered photos agree with their truth, and the same seed gives the same bytes."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from scorer.render import DrawnTiles, Effects, Recipe, bare_tables, render
from scorer.render.canvas import Image
from scorer.render.scene import quad_distance
from scorer.render.style import Style, draw_style

CLEAN = Effects(gradient=0, shadow=0, cast=0, exposure=0, glare=0, defocus=0, motion=0, noise=0, jpeg=0, strength=1)
SMALL = Recipe(photo_sizes=((640, 480),))

PLAIN = {
    "w": (255, 0, 0),
    "f": (0, 255, 0),
    "l": (0, 0, 255),
    "g": (255, 255, 0),
    "s": (255, 0, 255),
    "m": (0, 255, 255),
}


class PlainEdition:
    """Every terrain a colour of its own, so that a pixel tells its square; the castle is white."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def domino(self, left: str, right: str, size: int, rng: np.random.Generator) -> Image:
        face = np.zeros((size, 2 * size, 3), np.uint8)
        face[:, :size], face[:, size:] = PLAIN[left[0]], PLAIN[right[0]]
        return face

    def castle(self, colour: str, size: int, rng: np.random.Generator) -> Image:
        return np.full((size, size, 3), 255, np.uint8)

    def building(self, name: str, grey: bool, size: int, rng: np.random.Generator) -> Image:
        return np.zeros((size, size, 3), np.uint8)


class PlainTiles:
    def edition(self, rng: np.random.Generator) -> PlainEdition:
        return PlainEdition(draw_style(rng))


class GreyTable:
    def table(self, size: int, rng: np.random.Generator) -> Image:
        return np.full((size, size, 3), 128, np.uint8)


EXACT = Recipe(
    photo_sizes=((800, 600), (600, 800)),
    rules=("kingdomino",),
    square_pixels=(30, 80),
    standing_castle=0,
    hand=0,
    clutter=(0, 0),
    tiles=PlainTiles(),
    tables=GreyTable(),
    effects=replace(CLEAN, lens=1.0),
)


def test_the_same_seed_gives_the_same_bytes():
    first, again, other = render(5, recipe=SMALL), render(5, recipe=SMALL), render(6, recipe=SMALL)
    assert first.image.tobytes() == again.image.tobytes()
    assert [k.grid for k in first.kingdoms] == [k.grid for k in again.kingdoms]
    assert first.image.tobytes() != other.image.tobytes()


@pytest.mark.parametrize("seed", range(12))
def test_every_tile_is_where_the_truth_says(seed):
    scene = render(seed, recipe=EXACT)
    height, width = scene.image.shape[:2]
    for kingdom in scene.kingdoms:
        for r, line in enumerate(kingdom.grid):
            for c, cell in enumerate(line):
                quad = kingdom.quads[r, c] if cell == "." else kingdom.tile_quads[r, c]
                assert np.isfinite(quad).all()
                assert np.isnan(kingdom.tile_quads[r, c]).all() == (cell == ".")
                x, y = quad.mean(axis=0).round().astype(int)
                if not (3 <= x < width - 3 and 3 <= y < height - 3):
                    continue
                seen = scene.image[y, x].astype(int)
                if cell == ".":
                    assert np.ptp(seen) < 12, "an empty place shows the table"
                    continue
                expected = np.array((255, 255, 255) if cell == "C" else PLAIN[cell[0]])
                assert np.abs(seen - expected).max() < 12


@pytest.mark.parametrize("seed", range(8))
def test_tile_corners_are_exact_to_a_pixel(seed):
    """Just inside a tile's corners lies the tile, just outside the kingdom's outline it does not."""
    recipe = replace(EXACT, kingdoms=(1, 1), gap=(0.05, 0.06), crooked=(0, 0.5), square_pixels=(60, 80), sizes=(5,))
    scene = render(seed, recipe=recipe)
    kingdom = scene.kingdoms[0]
    height, width = scene.image.shape[:2]
    right = wrong = 0
    for r, line in enumerate(kingdom.grid):
        for c, cell in enumerate(line):
            if cell in (".", "C"):
                continue
            quad = kingdom.tile_quads[r, c]
            inside = quad + 0.1 * (quad.mean(axis=0) - quad)
            for x, y in inside.round().astype(int):
                if 0 <= x < width and 0 <= y < height:
                    good = np.abs(scene.image[y, x].astype(int) - PLAIN[cell[0]]).max() < 60
                    right, wrong = right + good, wrong + (not good)
    assert right > 30
    assert wrong <= 0.02 * right


@pytest.mark.parametrize("seed", range(20))
def test_the_grid_is_upright_and_its_corners_are_its_lattice(seed):
    for kingdom in render(seed, recipe=SMALL).kingdoms:
        rows, columns = len(kingdom.grid), len(kingdom.grid[0])
        assert kingdom.quads.shape == kingdom.tile_quads.shape == (rows, columns, 4, 2)
        assert kingdom.quads.dtype == kingdom.corners.dtype == np.float32
        top_left, top_right, bottom_right, bottom_left = kingdom.corners
        across = (top_right - top_left) + (bottom_right - bottom_left)
        assert abs(np.degrees(np.arctan2(across[1], across[0]))) < 60
        assert cv2.contourArea(kingdom.corners, oriented=True) > 0, "clockwise in the photo, never mirrored"
        np.testing.assert_allclose(kingdom.quads[0, -1, 1], top_right)
        np.testing.assert_allclose(kingdom.quads[:, :-1, 1], kingdom.quads[:, 1:, 0], atol=0.01)
        assert sum(cell == "C" for line in kingdom.grid for cell in line) == 1
        filled = np.isfinite(kingdom.tile_quads).all(axis=(2, 3))
        assert filled.any(axis=0).all()
        assert filled.any(axis=1).all()


def test_kingdoms_keep_their_distance():
    recipe = replace(SMALL, kingdoms=(4, 4), sizes=(5,), distance=(0.34, 0.5), rules=("royal-wedding",))
    for seed in range(6):
        outlines = [k.corners.astype(float) for k in render(seed, recipe=recipe).kingdoms]
        assert len(outlines) == 4
        for i, a in enumerate(outlines):
            assert all(quad_distance(a, b) > 0 for b in outlines[:i])


def test_distance_of_quadrilaterals():
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    assert quad_distance(square, square + np.array([3, 0])) == pytest.approx(2)
    assert quad_distance(square, square + np.array([4, 5])) == pytest.approx(5)
    assert quad_distance(square, square + 0.5) == 0


def test_a_bare_table_has_no_kingdom():
    scene = render(1, recipe=bare_tables(SMALL))
    assert scene.kingdoms == ()
    assert scene.image.shape == (480, 640, 3)


def test_pieces_and_buildings_are_written_as_notation():
    recipe = replace(SMALL, rules=("queendomino",), pieces=1.0, sizes=(7,), filled=(1, 1), kingdoms=(1, 1))
    cells = {
        cell for seed in range(12) for k in render(seed, recipe=recipe).kingdoms for line in k.grid for cell in line
    }
    assert any(cell.endswith("+knight") for cell in cells)
    assert any(cell.startswith("t:") and "+tower" in cell for cell in cells)
    assert any(cell.endswith("~") or "~+" in cell for cell in cells)
    assert "t" in cells


def test_the_house_style_does_not_vary():
    first, second = (DrawnTiles(variety=0).edition(np.random.default_rng(seed)).style for seed in (1, 2))
    assert first.ground == second.ground


def test_every_rule_set_and_size_renders():
    for rules in ("kingdomino", "queendomino", "royal-wedding", "xxxl"):
        for size in (5, 7, 9):
            scene = render(size, recipe=replace(SMALL, rules=(rules,), sizes=(size,)))
            assert all(max(len(k.grid), len(k.grid[0])) <= size for k in scene.kingdoms)
