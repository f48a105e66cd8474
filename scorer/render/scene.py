"""Puts tables, kingdoms, pieces, clutter and camera together into a photo with its truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.render import clutter, pieces
from scorer.render.buildings import COPIES, SYMBOLS
from scorer.render.camera import Camera, Floats
from scorer.render.canvas import Image
from scorer.render.lay import BOXES, Domino, LaidKingdom, Place, lay_kingdom, shuffled
from scorer.render.photograph import Effects, develop, illuminate
from scorer.render.sources import DrawnTiles, Edition, TileSource
from scorer.render.stage import Slab, Solid, Stage, box_corners
from scorer.render.style import CASTLE_COLOURS
from scorer.render.tables import DrawnTables, TableSource

Rng = np.random.Generator
Range = tuple[float, float]

FACE_SIZES = (32, 48, 64, 96, 128, 192, 256, 384, 512)  # pixels that a square's face is drawn at


@dataclass(frozen=True)
class TrueKingdom:
    """What a perfect reader would report: pixels are the photo's, the grid's first row is its uppermost."""

    grid: tuple[tuple[str, ...], ...]  # notation cells, row-major in the bounding box
    quads: NDArray[np.float32]  # (rows, columns, 4, 2): TL TR BR BL of every place of the ideal lattice
    tile_quads: NDArray[np.float32]  # same shape: where the tile really lies; nan for empty places
    corners: NDArray[np.float32]  # (4, 2): outer corners of the bounding box
    castle_colour: str
    castle_stands: bool = False  # a 3D castle hides its square and part of those behind


@dataclass(frozen=True)
class Scene:
    """A rendered photo: image uint8 (H, W, 3) RGB."""

    image: Image
    kingdoms: tuple[TrueKingdom, ...]


@dataclass(frozen=True)
class Recipe:
    """What kinds of scenes to render; every pair is a range to draw from evenly."""

    photo_sizes: tuple[tuple[int, int], ...] = ((1024, 768), (768, 1024))  # width, height
    kingdoms: tuple[int, int] = (1, 2)
    rules: tuple[str, ...] = ("kingdomino", "queendomino", "royal-wedding", "xxxl")
    sizes: tuple[int, ...] = (5, 5, 5, 7, 7, 9)
    filled: Range = (0.15, 1.0)  # share of the dominoes that a full kingdom holds
    tilt: Range = (0.0, 45.0)  # degrees from straight down
    gap: Range = (0.0, 0.06)  # between neighbouring dominoes, in squares
    crooked: Range = (0.0, 2.0)  # standard deviation of a domino's turn, in degrees
    drift: Range = (0.0, 0.05)  # how far rows and columns wander, in squares
    clutter: Range = (0.0, 1.0)  # 0 nothing, 1 a crowded table
    distance: Range = (0.34, 2.0)  # between kingdoms' bounding boxes, in squares; 0 touches
    square_pixels: Range = (22.0, 110.0)  # reduced where the kingdoms would not fit the frame
    margin: Range = (0.0, 0.12)  # left free around the kingdoms, share of the shorter side; below 0 cuts them
    aligned: float = 0.5  # probability that the grid runs within a few degrees of the frame
    standing_castle: float = 0.3
    pieces: float = 0.5  # probability that Queendomino kingdoms hold buildings, knights and towers
    hand: float = 0.05  # probability that a hand reaches into the frame; it may overlap a kingdom
    overlap: float = 0.03  # probability that a thing of clutter may lie over a kingdom's edge
    tiles: TileSource = field(default_factory=DrawnTiles)
    tables: TableSource = field(default_factory=DrawnTables)
    effects: Effects = field(default_factory=Effects)


def bare_tables(recipe: Recipe) -> Recipe:
    """The same recipe without any kingdom: tables and clutter only."""
    return replace(recipe, kingdoms=(0, 0))


@dataclass(frozen=True)
class _Set:
    """A kingdom on the table: its lattice's frame and the things that make it up."""

    laid: LaidKingdom
    origin: Floats  # table point of the bounding box's upper left corner
    turn: float
    colour: str

    def table(self, points: Floats) -> Floats:
        """Table points (n, 2) of lattice points (column, row)."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.asarray(points @ np.array([[c, s], [-s, c]]) + self.origin)

    def outline(self) -> Floats:
        rows, columns = self.laid.rows, self.laid.columns
        return self.table(np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float64))


def render(seed: int, *, recipe: Recipe | None = None) -> Scene:
    """One scene; the same seed and recipe give the same bytes."""
    recipe = recipe or Recipe()
    rng = np.random.default_rng(seed)
    width, height = recipe.photo_sizes[int(rng.integers(len(recipe.photo_sizes)))]
    edition = recipe.tiles.edition(rng)
    rules = recipe.rules[int(rng.integers(len(recipe.rules)))]
    sets = _lay_table(recipe, rules, rng)
    camera = _aim(recipe, sets, width, height, rng)
    square_pixels = _square_pixels(camera, sets)
    stage = Stage(
        camera,
        _table_top(recipe, camera, rng),
        light=(float(rng.normal(0, 0.6)), float(rng.normal(0, 0.6))),
        shadow_depth=float(rng.uniform(0.2, 0.65)),
        shadow_blur=float(rng.uniform(0.01, 0.1)),
        square_pixels=square_pixels,
    )
    face_size = next((s for s in FACE_SIZES if s >= 1.1 * square_pixels), FACE_SIZES[-1])
    slabs, solids, on_top = _scatter(recipe, stage, sets, edition, rng)
    above: list[Slab] = []
    kingdoms = []
    for kingdom in sets:
        made = _build(recipe, rules, kingdom, edition, face_size, rng)
        slabs += made.slabs
        above += made.above
        solids += made.solids
        kingdoms.append(_truth(camera, kingdom, made))
    stage.lay(slabs)
    stage.lay(above)
    stage.stand(solids)
    stage.stand(on_top)
    lit = illuminate(stage.image, stage.gloss, recipe.effects, rng)
    return Scene(develop(camera.bend(lit), recipe.effects, rng, square_pixels), tuple(kingdoms))


def _lay_table(recipe: Recipe, rules: str, rng: Rng) -> list[_Set]:
    """Lays the kingdoms of one table from one box, side by side at the recipe's distances."""
    count = int(rng.integers(recipe.kingdoms[0], recipe.kingdoms[1] + 1))
    stock: list[Domino] = shuffled(rules, rng)
    colours = rng.permutation(CASTLE_COLOURS)
    size = int(rng.choice(recipe.sizes))
    main_turn = float(rng.normal(0, 0.06)) if rng.random() < recipe.aligned else float(rng.uniform(0, 2 * np.pi))
    sets: list[_Set] = []
    for k in range(count):
        wanted = round((size * size - 1) // 2 * float(rng.uniform(*recipe.filled)))
        share = [stock.pop() for _ in range(min(len(stock) // (count - k), size * size))]
        laid = lay_kingdom(share, size, max(3, wanted), rng, compact=float(rng.uniform(0, 2.5)))
        turn = main_turn + (0 if k == 0 else float(rng.normal(0, 0.12)))
        if k and rng.random() < 0.2:
            turn = float(rng.uniform(0, 2 * np.pi))
        sets.append(_beside(sets, laid, turn, str(colours[k]), float(rng.uniform(*recipe.distance)), rng))
    return sets


def _beside(sets: list[_Set], laid: LaidKingdom, turn: float, colour: str, distance: float, rng: Rng) -> _Set:
    """Places a kingdom exactly `distance` from the nearest of the others, in a random direction."""
    middle = np.zeros(2)
    if not sets:
        return _placed(laid, middle, turn, colour)
    anchor = sets[int(rng.integers(len(sets)))].outline().mean(axis=0)
    # Mostly beside or below, seldom diagonally: tables of players look like that.
    angle = float(rng.integers(4)) * np.pi / 2 + sets[0].turn + float(rng.normal(0, 0.15))
    direction = np.array([np.cos(angle), np.sin(angle)])
    aside = np.array([-direction[1], direction[0]]) * float(rng.normal(0, 0.8))

    def near(reach: float) -> float:
        there = _placed(laid, anchor + aside + reach * direction, turn, colour).outline()
        return min(quad_distance(there, other.outline()) for other in sets)

    low, high = 0.0, 60.0
    for _ in range(26):
        reach = (low + high) / 2
        if near(reach) >= max(distance, 1e-4):
            high = reach
        else:
            low = reach
    return _placed(laid, anchor + aside + high * direction, turn, colour)


def _placed(laid: LaidKingdom, middle: Floats, turn: float, colour: str) -> _Set:
    bare = _Set(laid, np.zeros(2), turn, colour)
    return replace(bare, origin=middle - bare.outline().mean(axis=0))


def quad_distance(a: Floats, b: Floats) -> float:
    """The distance between two convex quadrilaterals (4, 2), 0 where they overlap."""
    area, _ = cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))
    if area > 0:
        return 0.0
    best = np.inf
    for points, others in ((a, b), (b, a)):
        start, edge = others, np.roll(others, -1, axis=0) - others
        offset = points[:, None] - start[None]
        along = np.clip((offset * edge).sum(-1) / (edge**2).sum(-1), 0, 1)
        best = min(best, float(np.linalg.norm(offset - along[..., None] * edge, axis=-1).min()))
    return best


def _aim(recipe: Recipe, sets: list[_Set], width: int, height: int, rng: Rng) -> Camera:
    diagonal = float(np.hypot(width, height))
    camera = Camera(
        width=width,
        height=height,
        focal=diagonal * float(rng.uniform(0.65, 1.3)),
        tilt=float(np.radians(rng.uniform(*recipe.tilt))),
        turn=float(rng.normal(0, 0.1)) if rng.random() < recipe.aligned else float(rng.uniform(0, 2 * np.pi)),
        roll=float(rng.normal(0, 0.05)),
        target=(0.0, 0.0),
        distance=10.0,
        centre=((width - 1) / 2, (height - 1) / 2),
        lens=float(rng.normal(0, 0.025)) * recipe.effects.strength if rng.random() < recipe.effects.lens else 0.0,
    )
    # A wide lens held very oblique would look past the table's end.
    points = np.concatenate([s.outline() for s in sets]) if sets else rng.uniform(-4, 4, (4, 2))
    target = float(np.exp(rng.uniform(*np.log(recipe.square_pixels))))
    return camera.aimed(points, square_pixels=target, margin=float(rng.uniform(*recipe.margin)), rng=rng)


def _square_pixels(camera: Camera, sets: list[_Set]) -> float:
    middle = np.concatenate([s.outline() for s in sets]).mean(axis=0) if sets else np.array(camera.target)
    step = 0.5 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    area = abs(float(cv2.contourArea(camera.project(middle + step).astype(np.float32))))
    return max(4.0, float(area**0.5))


def _table_top(recipe: Recipe, camera: Camera, rng: Rng) -> Image:
    """The bare table as the camera sees it, uint8 (H, W, 3)."""
    size = 768 if max(camera.width, camera.height) <= 1400 else 2048
    top = recipe.tables.table(size, rng)
    plane = camera.plane()
    frame = np.array([[0, 0], [camera.width, 0], [camera.width, camera.height], [0, camera.height]], np.float64)
    seen = cv2.perspectiveTransform(frame[None], np.linalg.inv(plane))[0]
    extent = float(np.clip(np.ptp(seen, axis=0).max(), 1, 300))
    scale = extent / size * float(rng.uniform(0.35, 1.0))
    angle = float(rng.choice((0, 1))) * np.pi / 2 + float(rng.normal(0, 0.2))
    c, s = scale * np.cos(angle), scale * np.sin(angle)
    lay = np.array([[c, -s, seen[:, 0].min()], [s, c, seen[:, 1].min()], [0, 0, 1]])
    return np.asarray(
        cv2.warpPerspective(
            top,
            plane @ lay,
            (camera.width, camera.height),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT_101,
        ),
        np.uint8,
    )


@dataclass
class _Made:
    """What was built for one kingdom, and where its tiles really lie (table points, in grid order)."""

    cells: dict[Place, str]
    tiles: dict[Place, Floats]
    slabs: list[Slab]
    above: list[Slab]
    solids: list[Solid]
    height: float
    castle_stands: bool


def _build(recipe: Recipe, rules: str, kingdom: _Set, edition: Edition, face_size: int, rng: Rng) -> _Made:
    laid, style = kingdom.laid, edition.style
    gap = float(rng.uniform(*recipe.gap))
    crooked = float(np.radians(rng.uniform(*recipe.crooked)))
    wander = _drift(laid, float(rng.uniform(*recipe.drift)), rng)
    made = _Made(laid.cells(), {}, [], [], [], style.thickness, False)

    def tile(places: tuple[Place, ...], face: Image) -> None:
        middle = np.mean([(c + 0.5, r + 0.5) for r, c in places], axis=0)
        middle = middle + wander(middle) + np.clip(rng.normal(0, 0.35 * gap + 0.004, 2), -0.1, 0.1)
        lean = float(np.clip(rng.normal(0, crooked), -0.12, 0.12))
        ahead = np.array([1.0, 0.0])
        if len(places) == 2:
            ahead = np.array([places[1][1] - places[0][1], places[1][0] - places[0][0]], np.float64)
        facing = float(np.arctan2(ahead[1], ahead[0])) + lean
        long = len(places) - gap
        corners = box_corners(float(middle[0]), float(middle[1]), long, 1 - gap, facing)
        if len(places) == 1:
            corners = np.roll(corners, int(rng.integers(4)), axis=0)
        made.slabs.append(Slab(kingdom.table(corners), 0, style.thickness, face, style.edge, style.corner))
        forward = np.array([np.cos(facing), np.sin(facing)])
        for k, place in enumerate(places):
            at = middle + forward * (long / len(places)) * (k - (len(places) - 1) / 2)
            wide, deep = (long / len(places), 1 - gap) if abs(ahead[0]) else (1 - gap, long / len(places))
            made.tiles[place] = kingdom.table(box_corners(float(at[0]), float(at[1]), wide, deep, lean))

    for domino in laid.dominoes:
        tile(domino.places, edition.domino(*domino.cells, face_size, rng))
    tile((laid.castle,), edition.castle(kingdom.colour, face_size, rng))
    if rng.random() < recipe.standing_castle:
        made.castle_stands = True
        foot = np.append(made.tiles[laid.castle].mean(axis=0) + rng.normal(0, 0.06, 2), style.thickness)
        made.solids.append(pieces.castle(foot, kingdom.colour, style, kingdom.turn + float(rng.normal(0, 0.3)), rng))
    if rules != "kingdomino" and rng.random() < recipe.pieces:
        _furnish(made, rules, kingdom, edition, face_size, rng)
    return made


def _drift(laid: LaidKingdom, amount: float, rng: Rng) -> Callable[[Floats], Floats]:
    """A smooth wandering of rows and columns: lattice point to offset."""
    waves = rng.uniform(0, 2 * np.pi, (2, 2))
    pace = rng.uniform(0.3, 1.0, (2, 2))

    def offset(point: Floats) -> Floats:
        return np.asarray(amount * np.sin(pace * point[None, :] + waves).sum(axis=1) / 2)

    return offset


def _furnish(made: _Made, rules: str, kingdom: _Set, edition: Edition, face_size: int, rng: Rng) -> None:
    """Puts buildings on towns, towers on buildings, knights and the Queen on squares, as notation says it."""
    left = {name: COPIES.get(name, 2) for name in SYMBOLS}
    high = made.height
    built, staffed = rng.uniform(0.2, 1.0), rng.uniform(0.0, 0.35)
    queen_free = rng.random() < 0.4
    for place, cell in sorted(made.cells.items()):
        if cell in ("C", "."):
            continue
        corners = made.tiles[place]
        middle, level = corners.mean(axis=0), high
        text = cell
        names = [name for name, copies in left.items() if copies]
        if cell == "t" and rng.random() < built:
            name = names[int(rng.integers(len(names)))]
            left[name] -= 1
            grey = bool(rng.random() < 0.12)
            side = float(rng.uniform(0.86, 0.98))
            turn = kingdom.turn + float(rng.integers(4)) * np.pi / 2 + float(rng.normal(0, 0.06))
            at = middle + rng.normal(0, 0.03, 2)
            made.above.append(
                Slab(
                    box_corners(float(at[0]), float(at[1]), side, side, turn),
                    high,
                    high + 0.7 * made.height,
                    edition.building(name, grey, face_size, rng),
                    edition.style.edge,
                    edition.style.corner,
                )
            )
            level += 0.7 * made.height
            text = f"t:{name}" + ("~" if grey else "")
            towers = int(rng.choice(4, p=(0.6, 0.25, 0.1, 0.05)))
            if towers:
                text += "+tower" if towers == 1 else f"+tower*{towers}"
                for _ in range(towers):
                    foot = np.append(middle + rng.normal(0, 0.2, 2), level)
                    made.solids.append(pieces.tower(foot, rng))
        elif rng.random() < staffed:
            text += "+knight"
            made.solids.append(pieces.knight(np.append(middle + rng.normal(0, 0.16, 2), level), rng))
        if queen_free and rng.random() < 0.06:
            queen_free = False
            text += "+queen"
            made.solids.append(pieces.queen(np.append(middle + rng.normal(0, 0.1, 2), level), rng))
        elif rules == "xxxl" and cell[1:] in ("1", "2", "3") and rng.random() < 0.08:
            text += "+giant"
            made.solids.append(pieces.giant(np.append(middle + rng.normal(0, 0.15, 2), level), rng))
        made.cells[place] = text


def _scatter(
    recipe: Recipe, stage: Stage, sets: list[_Set], edition: Edition, rng: Rng
) -> tuple[list[Slab], list[Solid], list[Solid]]:
    """Clutter beside the kingdoms: slabs, solids, and what comes on top of all (hands)."""
    slabs: list[Slab] = []
    solids: list[Solid] = []
    on_top: list[Solid] = []
    camera = stage.camera
    back = np.linalg.inv(camera.plane())
    wanted = int(rng.poisson(9 * float(rng.uniform(*recipe.clutter))))
    weights = np.array([w for _, w, _ in clutter.THINGS])
    taken = [s.outline() for s in sets]
    for _ in range(wanted):
        make, _, reach = clutter.THINGS[int(rng.choice(len(weights), p=weights / weights.sum()))]
        for _attempt in range(6):
            pixel = rng.uniform(-0.05, 1.05, 2) * (camera.width, camera.height)
            at = cv2.perspectiveTransform(pixel[None, None], back)[0, 0]
            if float(np.abs(at).max()) > 200:
                continue
            turn = float(rng.uniform(0, 2 * np.pi))
            # A smaller footprint than the thing has lets it lie over a kingdom's edge, never a loose domino.
            bold = rng.random() < recipe.overlap and make not in (clutter.loose_domino, clutter.backs)
            side = 2 * reach * (0.6 if bold else 1.0)
            footprint = box_corners(float(at[0]), float(at[1]), side, side, turn)
            room = 0.05 if bold else 0.35
            if all(quad_distance(footprint, other) >= room for other in taken):
                new_slabs, new_solids = make(float(at[0]), float(at[1]), turn, edition, rng)
                slabs += new_slabs
                solids += new_solids
                taken.append(footprint)
                break
    if rng.random() < recipe.hand:
        pixel = rng.uniform(0.05, 0.95, 2) * (camera.width, camera.height)
        side = int(rng.integers(4))
        inward = float(rng.uniform(0.0, 0.2))
        pixel[side % 2] = (inward if side < 2 else 1 - inward) * (camera.width, camera.height)[side % 2]
        at = cv2.perspectiveTransform(pixel[None, None], back)[0, 0]
        frame_middle = cv2.perspectiveTransform(np.array([[[camera.width / 2, camera.height / 2]]], np.float64), back)[
            0, 0
        ]
        away = at - frame_middle
        on_top.append(clutter.hand(at, float(np.arctan2(away[1], away[0])) + float(rng.normal(0, 0.3)), rng))
    return slabs, solids, on_top


def _truth(camera: Camera, kingdom: _Set, made: _Made) -> TrueKingdom:
    rows, columns = kingdom.laid.rows, kingdom.laid.columns
    row, column = np.mgrid[0:rows, 0:columns]
    steps = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64)
    ideal = np.stack([column, row], -1)[:, :, None, :] + steps
    places = sorted(made.tiles)
    fit = _similarity(
        np.array([(c + 0.5, r + 0.5) for r, c in places], np.float64),
        np.array([made.tiles[p].mean(axis=0) for p in places]),
    )
    lattice = ideal.reshape(-1, 2) @ fit[:, :2].T + fit[:, 2]

    def photo(points: Floats) -> Floats:
        return camera.project(np.column_stack([points, np.full(len(points), made.height)]))

    quads = photo(lattice).reshape(rows, columns, 4, 2)
    tiles = np.full((rows, columns, 4, 2), np.nan)
    grid = np.full((rows, columns), ".", object)
    for (r, c), corners in made.tiles.items():
        tiles[r, c] = photo(corners)
        grid[r, c] = made.cells[(r, c)]
    grid, quads, tiles = _upright(grid, quads, tiles)
    corners = np.array([quads[0, 0, 0], quads[0, -1, 1], quads[-1, -1, 2], quads[-1, 0, 3]])
    return TrueKingdom(
        tuple(tuple(str(cell) for cell in line) for line in grid),
        quads.astype(np.float32),
        tiles.astype(np.float32),
        corners.astype(np.float32),
        kingdom.colour,
        made.castle_stands,
    )


def _upright(grid: NDArray[np.object_], quads: Floats, tiles: Floats) -> tuple[NDArray[np.object_], Floats, Floats]:
    """Turns the grid by quarters so that its rows run to the right in the photo, within 45 degrees."""
    across = (quads[:, :, 1] - quads[:, :, 0] + quads[:, :, 2] - quads[:, :, 3]).mean(axis=(0, 1))
    quarters = round(float(np.arctan2(across[1], across[0])) / (np.pi / 2)) % 4
    # A row that runs downwards (one quarter) starts, upright, at the old lower left corner.
    k = -quarters
    return np.rot90(grid, k), np.roll(np.rot90(quads, k), -k, axis=2), np.roll(np.rot90(tiles, k), -k, axis=2)


def _similarity(source: Floats, target: Floats) -> Floats:
    """The least-squares turn, scale and shift of points (n, 2): float64 (2, 3)."""
    n = len(source)
    lhs = np.zeros((2 * n, 4))
    lhs[:n] = np.column_stack([source[:, 0], -source[:, 1], np.ones(n), np.zeros(n)])
    lhs[n:] = np.column_stack([source[:, 1], source[:, 0], np.zeros(n), np.ones(n)])
    a, b, dx, dy = np.linalg.lstsq(lhs, np.concatenate([target[:, 0], target[:, 1]]), rcond=None)[0]
    return np.array([[a, -b, dx], [b, a, dy]])


__all__ = ["BOXES", "Recipe", "Scene", "TrueKingdom", "bare_tables", "quad_distance", "render"]
