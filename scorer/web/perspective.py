"""Where the places of a grid lie in a photo, from the four corners alone.

A grid drawn through its corners has edges that meet, which looks right under an outline even where single tiles lie
crooked; and the server needs no NumPy for it.
"""

from collections.abc import Callable, Sequence

Point = tuple[float, float]
Bounds = tuple[float, float, float, float]
"""Left, top, right, bottom in grid units."""


def grid_to_photo(corners: Sequence[Point], rows: int, columns: int) -> Callable[[float, float], Point]:
    """The projective map from (column, row) to the photo that takes the grid's corners to `corners`."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    # Heckbert: the map of the unit square to a quadrilateral in closed form.
    sx, sy = x0 - x1 + x2 - x3, y0 - y1 + y2 - y3
    dx1, dy1, dx2, dy2 = x1 - x2, y1 - y2, x3 - x2, y3 - y2
    area = dx1 * dy2 - dx2 * dy1 or 1e-9
    g, h = (sx * dy2 - dx2 * sy) / area, (dx1 * sy - sx * dy1) / area
    a, b, d, e = x1 - x0 + g * x1, x3 - x0 + h * x3, y1 - y0 + g * y1, y3 - y0 + h * y3

    def project(column: float, row: float) -> Point:
        u, v = column / columns, row / rows
        w = g * u + h * v + 1 or 1e-9
        return (a * u + b * v + x0) / w, (d * u + e * v + y0) / w

    return project


def outer(corners: Sequence[Point], rows: int, columns: int, bounds: Bounds) -> tuple[Point, ...]:
    """The corners of a larger or smaller part of the same lattice."""
    project = grid_to_photo(corners, rows, columns)
    left, top, right, bottom = bounds
    ends = ((left, top), (right, top), (right, bottom), (left, bottom))
    return tuple((round(x, 1), round(y, 1)) for x, y in (project(*end) for end in ends))
