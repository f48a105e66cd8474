"""From a scene to what the networks see and what they should answer, varied anew at every draw."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.locate_networks import SPOTTER_CHANNELS, SPOTTER_STRIDE, SQUARE, STRAIGHTENER_CHANNELS
from models.train.locate_scenes import KnownKingdom, KnownScene

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

SEEN = (17.0, 52.0)
"""Widths of squares, in pixels, that the spotter is to see; others it is to ignore as it will see them in the photo
made smaller or larger."""
UNCLEAR = (14.5, 61.0)
"""Beyond SEEN up to these widths either answer is right."""
REFERENCE_SIDE = 30.0
CENTRE_WIDTH = 0.13
"""Standard deviation of a centre's bump, in squares."""
ELSEWHERE = 0.2
"""Share of windows that the straightener is shown away from kingdoms."""
WINDOW = 9
"""Places along a side of the window the straightener is trained on."""


def project(points: NDArray[np.floating], homography: NDArray[np.floating]) -> Floats:
    """points (..., 2) through a 3x3 homography."""
    flat = np.asarray(points, np.float64).reshape(-1, 1, 2)
    return cv2.perspectiveTransform(flat, np.asarray(homography, np.float64)).reshape(points.shape).astype(np.float32)


def grid_homography(kingdom: KnownKingdom) -> NDArray[np.float64]:
    """Grid units (column, row) to photo pixels, by least squares over all places."""
    rows, columns = kingdom.quads.shape[:2]
    at = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1)[:, :, None]
    grid = (at + np.array([[0, 0], [1, 0], [1, 1], [0, 1]])).reshape(-1, 2).astype(np.float64)
    homography, _ = cv2.findHomography(grid, kingdom.quads.reshape(-1, 2).astype(np.float64), 0)
    return np.asarray(homography, np.float64)


def recolour(image: Image, rng: np.random.Generator) -> Image:
    """Exposure, contrast, colour cast, saturation, a shadow, blur, noise and JPEG, each now and then."""
    levels = np.arange(256, dtype=np.float32) / 255
    gain = rng.uniform(0.75, 1.3) * (1 + rng.normal(0, 0.08, 3))
    gamma = math.exp(rng.normal(0, 0.2))
    table = np.clip((levels[:, None] ** gamma) * gain * 255, 0, 255).astype(np.uint8)
    image = cv2.LUT(image, table.reshape(1, 256, 3))
    if rng.random() < 0.3:
        grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        amount = rng.uniform(-0.3, 0.6)
        image = cv2.addWeighted(image, 1 - amount, grey, amount, 0)
    if rng.random() < 0.25:
        image = _shade(image, rng)
    if rng.random() < 0.3:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.4))
    if rng.random() < 0.4:
        noise = cv2.randn(np.empty(image.shape, np.int16), 0, rng.uniform(2, 10))
        image = np.clip(image + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.2:
        _, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 80))])
        image = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)
    return image


def _shade(image: Image, rng: np.random.Generator) -> Image:
    """A straight shadow with a soft edge across the picture."""
    height, width = image.shape[:2]
    angle, edge = rng.uniform(0, 2 * math.pi), rng.uniform(-0.4, 0.4)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    along = (x / width - 0.5) * math.cos(angle) + (y / height - 0.5) * math.sin(angle) - edge
    light = 1 - rng.uniform(0.2, 0.55) / (1 + np.exp(np.clip(-along / rng.uniform(0.003, 0.2), -30, 30)))
    return (image * light[..., None]).astype(np.uint8)


@dataclass(frozen=True)
class Tiles:
    """All tiles of a scene: quads (N, 4, 2), step_x and step_y (N, 2) to the next place, castle (N,) bool."""

    quads: Floats
    step_x: Floats
    step_y: Floats
    castle: NDArray[np.bool_]


def tiles_of(scene: KnownScene, homography: NDArray[np.float64]) -> Tiles:
    parts: list[tuple[Floats, ...]] = []
    castles: list[NDArray[np.bool_]] = []
    for kingdom in scene.kingdoms:
        occupied = ~np.isnan(kingdom.tile_quads).any((-1, -2))
        if not occupied.any():
            continue
        places = project(kingdom.quads, homography)[occupied]
        tiles = project(kingdom.tile_quads[occupied], homography)
        step_x = (places[:, 1] + places[:, 2] - places[:, 0] - places[:, 3]) / 2
        step_y = (places[:, 3] + places[:, 2] - places[:, 0] - places[:, 1]) / 2
        parts.append((tiles, step_x, step_y))
        castles.append(kingdom.castle[occupied])
    if not parts:
        none = np.zeros((0, 2), np.float32)
        return Tiles(np.zeros((0, 4, 2), np.float32), none, none, np.zeros(0, bool))
    quads, step_x, step_y = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Tiles(quads, step_x, step_y, np.concatenate(castles))


def spotter_answer(tiles: Tiles, height: int, width: int) -> tuple[Floats, Floats]:
    """What the spotter should say, (10, H/4, W/4), and how much each pixel counts in the fields and in the yes or no,
    (2, H/4, W/4)."""
    rows, columns = height // SPOTTER_STRIDE, width // SPOTTER_STRIDE
    answer = np.zeros((len(SPOTTER_CHANNELS), rows, columns), np.float32)
    weight = np.zeros((2, rows, columns), np.float32)
    weight[1] = 1
    if not len(tiles.quads):
        return answer, weight
    which = np.zeros((rows, columns), np.int32)
    shift = 4
    fine = np.clip((tiles.quads + 0.5) / SPOTTER_STRIDE - 0.5, -4000, 4000) * (1 << shift)
    for index, quad in enumerate(np.round(fine).astype(np.int32)):
        cv2.fillConvexPoly(which, quad, index + 1, shift=shift)
    y, x = np.nonzero(which)
    if not len(y):
        return answer, weight
    tile = which[y, x] - 1
    pixel = (np.stack([x, y], -1) + 0.5) * SPOTTER_STRIDE - 0.5
    u = tiles.step_x[:, 0] + 1j * tiles.step_x[:, 1]
    v = tiles.step_y[:, 0] + 1j * tiles.step_y[:, 1]
    side = np.sqrt(np.abs((u.conj() * v).imag)) + 1e-6
    seen = ((side >= SEEN[0]) & (side <= SEEN[1]))[tile]
    unclear = ~seen & ((side >= UNCLEAR[0]) & (side <= UNCLEAR[1]))[tile]
    offset = (tiles.quads.mean(1)[tile] - pixel) / side[tile, None]
    spread = np.maximum(CENTRE_WIDTH, 0.7 * SPOTTER_STRIDE / side)[tile]
    away = (offset**2).sum(1)
    total, product = (u**2 + v**2) / side**2, (u * v) ** 2 / side**4
    answer[0, y, x] = seen
    answer[1, y, x] = np.exp(-away / (2 * spread**2)) * seen
    answer[2, y, x] = tiles.castle[tile] * seen
    answer[3:5, y, x] = offset.T
    answer[5, y, x] = np.log(side / REFERENCE_SIDE)[tile]
    answer[6, y, x], answer[7, y, x] = total.real[tile], total.imag[tile]
    answer[8, y, x], answer[9, y, x] = product.real[tile], product.imag[tile]
    # The fields are read at the centres.
    weight[0, y, x] = np.exp(-away / (2 * 0.3**2)) * (seen | unclear)
    weight[1, y, x] = ~unclear
    return answer, weight


def _frame(scene: KnownScene, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A homography from the scene to a frame ``size`` wide and high in which squares have about the width that the
    spotter looks for, seldom another; turned any way, mirrored and tilted a little."""
    tall, wide = scene.image.shape[:2]
    scale, middle = math.exp(rng.uniform(math.log(0.15), math.log(1.2))), np.array([wide, tall]) * rng.uniform(0, 1, 2)
    if scene.kingdoms:
        kingdom = scene.kingdoms[int(rng.integers(len(scene.kingdoms)))]
        quads = kingdom.quads.reshape(-1, 4, 2)
        quad = quads[int(rng.integers(len(quads)))]
        low, high = ((18, 50), (18, 50), (18, 50), (18, 50), (18, 50), (18, 50), (18, 50), (7, 15), (60, 160))[
            int(rng.integers(9))
        ]
        scale = math.exp(rng.uniform(math.log(low), math.log(high))) / math.sqrt(cv2.contourArea(quad) + 1)
        if rng.random() < 0.85:
            middle = quad.mean(0) + rng.uniform(-0.25, 0.25, 2) * size / scale
    angle = int(rng.integers(4)) * math.pi / 2 + rng.choice([0.05, 1.0]) * rng.normal()
    c, s = scale * math.cos(angle), scale * math.sin(angle)
    flip = -1.0 if rng.random() < 0.5 else 1.0
    turn = np.array([[c * flip, -s, 0], [s * flip, c, 0], [0, 0, 1.0]])
    turn[:2, 2] = size / 2 - turn[:2, :2] @ middle
    corner = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    tilted = corner + rng.normal(0, rng.choice([0.01, 0.05]) * size, (4, 2)).astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corner, tilted) @ turn, np.float64)


def _shrunk(image: Image, scale: float) -> tuple[Image, NDArray[np.float64]]:
    """The image averaged down so that sampling it at ``scale`` does not alias, and the homography to it."""
    factor = int(1 / max(scale, 1e-6))
    if factor < 2:
        return image, np.eye(3)
    small = cv2.resize(image, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
    shift = 0.5 / factor - 0.5
    return np.asarray(small, np.uint8), np.array([[1 / factor, 0, shift], [0, 1 / factor, shift], [0, 0, 1]])


def spotter_sample(scene: KnownScene, size: int, rng: np.random.Generator) -> tuple[Image, Floats, Floats]:
    """image (size, size, 3) uint8, answer (10, size/4, size/4), weights (2, size/4, size/4)."""
    homography = _frame(scene, size, rng)
    scale = math.sqrt(abs(np.linalg.det(homography[:2, :2])))
    small, to_small = _shrunk(scene.image, scale)
    border = int(rng.choice([cv2.BORDER_CONSTANT, cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE]))
    # Mostly the grey that photos are padded with.
    grey = (128, 128, 128)
    fill = tuple(int(value) for value in rng.integers(0, 256, 3)) if rng.random() < 0.3 else grey
    matrix = homography @ np.linalg.inv(to_small)
    image = cv2.warpPerspective(
        small, matrix, (size, size), flags=cv2.INTER_LINEAR, borderMode=border, borderValue=fill
    )
    answer, weight = spotter_answer(tiles_of(scene, homography), size, size)
    image = recolour(np.asarray(image, np.uint8), rng)
    if border == cv2.BORDER_CONSTANT and fill == grey:
        outside = cv2.warpPerspective(np.zeros(small.shape[:2], np.uint8), matrix, (size, size), borderValue=255)
        image[outside > 127] = 128
    return image, answer, weight


def straightener_sample(scene: KnownScene, rng: np.random.Generator) -> tuple[Image, Floats, Floats]:
    """image (288, 288, 3) uint8, answer (18, 9, 9) and weights (3, 9, 9) for tile and castle, tile corners, places."""
    answer = np.zeros((len(STRAIGHTENER_CHANNELS), WINDOW, WINDOW), np.float32)
    weight = np.zeros((3, WINDOW, WINDOW), np.float32)
    weight[0] = 1
    tall, wide = scene.image.shape[:2]
    if not scene.kingdoms or rng.random() < ELSEWHERE:
        if len(scene.mistakes.lattices) and rng.random() < 0.7:
            image, weight[0] = _mistaken(scene, rng)
        else:
            image, weight[0] = _anywhere(scene, rng)
        return image, answer, weight
    kingdom = scene.kingdoms[int(rng.choice(len(scene.kingdoms), p=shares(scene.mistakes.costs, len(scene.kingdoms))))]
    rows, columns = kingdom.quads.shape[:2]
    exact = grid_homography(kingdom)
    # The window starts so that the kingdom and a ring around it are inside where they fit.
    start = np.array([_start(columns, rng), _start(rows, rng)])
    corner = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float64)
    wrong = rng.normal(0, rng.choice([0.02, 0.06, 0.12]), (4, 2)) + rng.normal(0, rng.choice([0.02, 0.1]), 2)
    guess = exact @ cv2.getPerspectiveTransform(np.float32(corner), np.float32(corner + wrong.clip(-0.4, 0.4)))
    inverse = np.linalg.inv(guess)

    into = _window_turn(rng) @ np.array([[1, 0, -start[0]], [0, 1, -start[1]], [0, 0, 1.0]])
    to_window = into @ inverse
    # The kingdom's places and a ring of empty ones around them.
    ring = np.pad(np.ones((rows, columns), bool), 1)
    grid = _places(rows + 2, columns + 2) - 1
    place = project(grid, exact)
    place[1:-1, 1:-1] = kingdom.quads
    tile = np.full_like(place, np.nan)
    tile[1:-1, 1:-1] = kingdom.tile_quads
    castle = np.pad(kingdom.castle, 1)
    at = np.floor(project(grid.mean(2), into)).astype(int)
    middle = place.mean(2)
    in_photo = (middle >= 0).all(-1) & (middle[..., 0] < wide) & (middle[..., 1] < tall)
    seen = (at >= 0).all(-1) & (at < WINDOW).all(-1)
    j, i = at[seen].T
    ideal = _places(WINDOW, WINDOW)[i, j]
    taken = in_photo[seen] & ~np.isnan(tile[seen]).any((-1, -2))
    answer[10:18, i, j] = (_ordered(project(place[seen], to_window)) - ideal).reshape(-1, 8).T
    weight[2, i, j] = np.where(ring[seen], 1.0, 0.4) * kingdom.exact
    # Holes in the kingdom and places at its edge are what is hard and what matters.
    weight[0, i, j] = np.where(taken, 2.0, 4.0) * ~np.pad(kingdom.hidden, 1)[seen]
    answer[0, i, j] = taken
    answer[1, i, j] = taken & castle[seen]
    off = (_ordered(project(tile[seen], to_window)) - ideal).reshape(-1, 8).T
    answer[2:10, i, j] = np.where(taken, off, 0)
    weight[1, i, j] = taken * float(kingdom.exact)
    matrix = np.diag([SQUARE, SQUARE, 1.0]) @ to_window
    image = _window(scene.image, matrix)
    if rng.random() < 0.2:
        _cut(image, answer, weight, rng)
    return recolour(image, rng), answer, weight


def shares(costs: NDArray[np.floating], count: int) -> NDArray[np.float64]:
    """How likely each of ``count`` things is drawn: half of the draws are even, half go by what each cost before."""
    even = np.full(count, 1 / count)
    return (even + costs / costs.sum()) / 2 if costs.any() else even


def _start(count: int, rng: np.random.Generator) -> int:
    low, high = count + 1 - WINDOW, -1
    return int(rng.integers(min(low, high), max(low, high) + 1))


def _window_turn(rng: np.random.Generator) -> NDArray[np.float64]:
    """A quarter turn and perhaps a mirror image of the window onto itself, in grid units."""
    half = WINDOW / 2
    angle = int(rng.integers(4)) * math.pi / 2
    c, s = round(math.cos(angle)), round(math.sin(angle))
    flip = -1.0 if rng.random() < 0.5 else 1.0
    return np.array(
        [[flip * c, -s, half - flip * c * half + s * half], [flip * s, c, half - flip * s * half - c * half], [0, 0, 1]]
    )


def _places(rows: int, columns: int) -> NDArray[np.float64]:
    """Corners of all places of a grid, (rows, columns, 4, 2)."""
    at = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1)[:, :, None]
    return at + np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])


def _ordered(quads: Floats) -> Floats:
    """Corners (N, 4, 2) as top-left, top-right, bottom-right, bottom-left, whichever way the quads were turned."""
    away = quads - quads.mean(1, keepdims=True)
    sides = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], np.float32)
    order = np.argmin(np.nan_to_num(away) @ sides.T, axis=1)
    return np.take_along_axis(quads, order[..., None], axis=1)


def _window(image: Image, matrix: NDArray[np.float64]) -> Image:
    size = WINDOW * SQUARE
    centre = project(np.array([size / 2, size / 2]), np.linalg.inv(matrix))
    step = project(np.stack([centre, centre + np.array([1, 0]), centre + np.array([0, 1])]), matrix)
    scale = math.sqrt(abs(float(np.cross(step[1] - step[0], step[2] - step[0]))))
    small, to_small = _shrunk(image, scale)
    # Grid lines fall on the edges between pixels, warping counts from the middle of the first pixel.
    half = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    warped = cv2.warpPerspective(small, half @ matrix @ np.linalg.inv(to_small), (size, size), flags=cv2.INTER_LINEAR)
    return np.asarray(warped, np.uint8)


def _anywhere(scene: KnownScene, rng: np.random.Generator) -> tuple[Image, Floats]:
    """A window somewhere on the table, and 1 for each of its places that is not near a kingdom."""
    tall, wide = scene.image.shape[:2]
    side = math.exp(rng.uniform(math.log(14), math.log(min(tall, wide) / 4)))
    angle = rng.uniform(0, 2 * math.pi)
    c, s = math.cos(angle) / side, math.sin(angle) / side
    x, y = rng.uniform(0.1, 0.9) * wide, rng.uniform(0.1, 0.9) * tall
    half = WINDOW / 2
    matrix = np.array([[c, -s, half - c * x + s * y], [s, c, half - s * x - c * y], [0, 0, 1]])
    return _table_window(scene, matrix, rng)


def _mistaken(scene: KnownScene, rng: np.random.Generator) -> tuple[Image, Floats]:
    """A window on something that the spotter took for a kingdom: chequered cloth, floor tiles, a cutting mat."""
    lattices = scene.mistakes.lattices
    grid_to_photo = lattices[int(rng.integers(len(lattices)))]
    start = rng.integers(-3, 1, 2) + rng.normal(0, 0.05, 2)
    into = _window_turn(rng) @ np.array([[1, 0, -start[0]], [0, 1, -start[1]], [0, 0, 1.0]])
    return _table_window(scene, into @ np.linalg.inv(grid_to_photo), rng)


def _table_window(scene: KnownScene, matrix: NDArray[np.float64], rng: np.random.Generator) -> tuple[Image, Floats]:
    """The window that ``matrix`` maps the photo to, in places, and 1 for each place of it away from kingdoms."""
    bare = np.ones((WINDOW, WINDOW), np.float32)
    for kingdom in scene.kingdoms:
        rows, columns = kingdom.quads.shape[:2]
        outline = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float64)
        corners = project(outline, matrix @ grid_homography(kingdom))
        low, high = np.floor(corners.min(0)).astype(int), np.ceil(corners.max(0)).astype(int)
        bare[max(0, low[1]) : max(0, high[1]), max(0, low[0]) : max(0, high[0])] = 0
    return recolour(_window(scene.image, np.diag([SQUARE, SQUARE, 1.0]) @ matrix), rng), bare


def _cut(image: Image, answer: Floats, weight: Floats, rng: np.random.Generator) -> None:
    """Blackens the window beyond the kingdom's edge on some sides, as where the photo ends there."""
    rows, columns = np.nonzero(weight[2] == 1)
    if not len(rows):
        return
    edges = np.array([rows.min(), WINDOW - 1 - rows.max(), columns.min(), WINDOW - 1 - columns.max()])
    for side, edge in enumerate(edges):
        if rng.random() < 0.3:
            continue
        pixels = max(0, round((edge + rng.normal(0, 0.08)) * SQUARE))
        if pixels:
            index: list[slice] = [slice(None), slice(None)]
            index[side // 2] = slice(None, pixels) if side % 2 == 0 else slice(-pixels, None)
            image[tuple(index)] = 0
