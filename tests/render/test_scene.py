"""Rendered photos agree with their truth, and the same seed gives the same bytes."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest

from scorer.render import DrawnTables, DrawnTiles, Effects, Recipe, VariedTables, bare_tables, render
from scorer.render.__main__ import main
from scorer.render.build import build
from scorer.render.buildings import COPIES
from scorer.render.canvas import Image, palette
from scorer.render.furnish import Supply
from scorer.render.layout import lay_table, quad_distance, tile_distance
from scorer.render.style import Style, draw_style
from scorer.rules.notation import parse_square, square_text

CLEAN = Effects(gradient=0, shadow=0, cast=0, exposure=0, glare=0, defocus=0, motion=0, noise=0, jpeg=0, strength=1)
SMALL = Recipe(photo_sizes=((640, 480),))

PLAIN = dict(zip("wflgsm", palette("255 0 0, 0 255 0, 0 0 255, 255 255 0, 255 0 255, 0 255 255"), strict=True))


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


def test_tables_in_other_colours_are_many_and_reproducible():
    varied = VariedTables(DrawnTables())
    tables = [varied.table(64, np.random.default_rng(seed)) for seed in range(12)]
    assert all(table.shape == (64, 64, 3) and table.dtype == np.uint8 for table in tables)
    assert len({table.tobytes() for table in tables}) == 12
    assert varied.table(64, np.random.default_rng(3)).tobytes() == tables[3].tobytes()
    grey = [VariedTables(GreyTable()).table(64, np.random.default_rng(seed)) for seed in range(12)]
    assert np.ptp([table.mean() for table in grey]) > 40


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


def test_nested_kingdoms_keep_their_distance_by_tiles():
    recipe = replace(SMALL, kingdoms=(3, 3), distance=(0.34, 0.34), nested=1.0)
    for seed in range(10):
        first, second, third = lay_table(recipe, "royal-wedding", np.random.default_rng(seed))
        distances = [tile_distance(a, b) for a, b in ((first, second), (first, third), (second, third))]
        assert min(distances) == pytest.approx(0.34, abs=0.02)


def test_lattice_and_table_are_inverse():
    kingdom = lay_table(SMALL, "kingdomino", np.random.default_rng(8))[0]
    points = np.random.default_rng(0).uniform(-5, 5, (7, 2))
    np.testing.assert_allclose(kingdom.lattice(kingdom.table(points)), points, atol=1e-12)


def test_a_standing_castle_hides_squares_and_nothing_else_does():
    castle = replace(SMALL, kingdoms=(1, 1), rules=("kingdomino",), clutter=(0, 0), hand=0, margin=(0.05, 0.1))
    for seed in range(8):
        kingdom = render(seed, recipe=replace(castle, standing_castle=1.0, tilt=(30, 45))).kingdoms[0]
        at = next((r, c) for r, line in enumerate(kingdom.grid) for c, cell in enumerate(line) if cell == "C")
        assert kingdom.castle_stands
        assert kingdom.hidden[at] > 0.4
        flat = render(seed, recipe=replace(castle, standing_castle=0.0)).kingdoms[0]
        tiles = np.isfinite(flat.tile_quads).all(axis=(2, 3))
        assert (np.isfinite(flat.hidden) == tiles).all()
        assert np.nanmax(flat.hidden) < 0.25, "neighbours hide no more than an edge of each other"
        assert np.nanmedian(flat.hidden) < 0.06


def test_what_is_outside_the_frame_is_hidden():
    cut = render(3, recipe=replace(EXACT, kingdoms=(1, 1), margin=(-0.3, -0.3), square_pixels=(300, 300))).kingdoms[0]
    outside = (cut.quads.min(axis=2) > (800, 800)).any(axis=2) | (cut.quads.max(axis=2) < 0).any(axis=2)
    filled = np.isfinite(cut.hidden)
    assert (outside & filled).any()
    assert (cut.hidden[outside & filled] == 1).all()


def test_a_table_uses_no_more_buildings_and_pieces_than_its_box():
    recipe = replace(SMALL, rules=("queendomino",), pieces=1.0, kingdoms=(4, 4), sizes=(5,))
    for seed in range(4):
        cells = [cell for k in render(seed, recipe=recipe).kingdoms for line in k.grid for cell in line]
        built = Counter(cell.split("+")[0].strip("~")[2:] for cell in cells if cell.startswith("t:"))
        assert all(count <= COPIES.get(name, 2) for name, count in built.items())
        assert sum("+queen" in cell for cell in cells) <= 1


def test_the_command_writes_photos_with_their_truth(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["render", "--out", str(tmp_path), "--count", "2", "--size", "320x240"])
    main()
    truth = json.loads((tmp_path / "1.json").read_text())
    assert cv2.imread(str(tmp_path / "1.jpg")).shape == (240, 320, 3)
    assert any("C" in line for line in truth["kingdoms"][0]["grid"])


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


XXXL = replace(SMALL, rules=("xxxl",), pieces=1.0, court=1.0, sizes=(7,), filled=(1, 1), kingdoms=(1, 1))


def test_the_expansions_are_written_as_notation():
    cells = {cell for seed in range(8) for line in render(seed, recipe=XXXL).kingdoms[0].grid for cell in line}
    for part in ("+fallen", "+giant", "+wheat", "+court:", "+wood"):
        assert any(part in cell for cell in cells), part
    for cell in cells:
        assert square_text(parse_square(cell)) == cell, "canonical notation"


def test_every_piece_stands_within_its_square():
    for seed in range(4):
        scene = render(seed, recipe=replace(XXXL, clutter=(0, 0), tilt=(0, 20)))
        (kingdom,) = scene.kingdoms
        for r, line in enumerate(kingdom.grid):
            for c, cell in enumerate(line):
                if cell == ".":
                    continue
                quad = kingdom.tile_quads[r, c]
                inside = Counter(
                    piece.kind
                    for piece in scene.pieces
                    if cv2.pointPolygonTest(quad, (float(piece.foot[0]), float(piece.foot[1])), False) >= 0
                )
                square = parse_square(cell)
                assert inside["knight"] == square.knight
                assert inside["tower"] == square.tower + square.fallen
                assert inside["queen"] == square.queen
                assert inside["giant"] == square.giant


def test_no_piece_stands_in_another():
    pieces = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        (kingdom,) = lay_table(XXXL, "xxxl", rng)
        made = build(XXXL, "xxxl", kingdom, XXXL.tiles.edition(rng), Supply(), 16, rng)
        ground = [np.concatenate([face.points for face in solid])[:, :2].astype(np.float32) for solid in made.solids]
        hulls = [cv2.convexHull(points) for points in ground]
        pieces += len(hulls)
        assert not any(cv2.intersectConvexConvex(a, b)[0] > 1e-6 for a, b in combinations(hulls, 2))
    assert pieces > 100


def test_a_starting_tile_may_be_missing():
    (kingdom,) = render(5, recipe=replace(SMALL, kingdoms=(1, 1), castleless=1.0)).kingdoms
    assert not any(cell == "C" for line in kingdom.grid for cell in line)


class WhiteTable:
    def table(self, size: int, rng: np.random.Generator) -> Image:
        return np.full((size, size, 3), 250, np.uint8)


@pytest.mark.parametrize("seed", range(3))
def test_the_camera_exposes_for_the_light(seed: int) -> None:
    lit = replace(CLEAN, gradient=1, glare=1, exposure=1e-9)
    image = render(seed, recipe=replace(SMALL, kingdoms=(0, 0), clutter=(0, 0), tables=WhiteTable(), effects=lit)).image
    assert (image.max(axis=2) >= 250).mean() < 0.04
    assert image.mean() > 100
