"""A photo read end to end: what comes out, in which form, and what is said when nothing can be read."""

import json
from pathlib import Path

import cv2
import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import scorer
from scorer import read_photo, score
from scorer.cli import main
from scorer.errors import NoKingdom, UsageError
from scorer.rules.play import rules_named
from scorer.vision.classify import LABELS
from scorer.vision.decode import decode
from scorer.vision.load import load_photo
from scorer.vision.reading import read_at

ROOT = Path(__file__).parents[2]
PHOTO = ROOT / "samples" / "photos" / "kingdomino.jpg"
TRUTH = ROOT / "samples" / "photos" / "kingdomino.kingdom"
SCHEMA = json.loads((Path(scorer.__file__).parent / "schemas" / "reading-1.json").read_text())


def run(*arguments: str) -> "object":
    return CliRunner().invoke(main, arguments)


def test_the_sample_photo_is_read_as_it_was_laid() -> None:
    (seen,) = read_photo(PHOTO).kingdoms
    truth = scorer.Kingdom.parse(TRUTH.read_text())
    assert seen.kingdom.rows == truth.rows
    assert score([seen.kingdom]).players[0].total == score([truth]).players[0].total


def test_the_command_prints_notation_json_and_a_picture(tmp_path: Path) -> None:
    picture, file = tmp_path / "seen.jpg", tmp_path / "seen.kingdom"
    result = run("read", str(PHOTO), "--json", "--annotate", str(picture), "-o", str(file))
    assert result.exit_code == 0
    form = json.loads(result.stdout)
    jsonschema.validate(form, SCHEMA)
    assert form["kingdoms"][0]["notation"] == file.read_text()
    assert scorer.Kingdom.parse(file.read_text()).rows
    with Image.open(picture) as drawn:
        assert drawn.size == (form["width"], form["height"])
        assert not drawn.getexif()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["seen.jpg", "seen.kingdom"]


def test_a_photo_is_scored() -> None:
    result = run("score", str(PHOTO), "--json")
    truth = score([scorer.Kingdom.parse(TRUTH.read_text())]).players[0].total
    assert json.loads(result.stdout)["players"][0]["total"] == truth


def test_a_kingdom_is_read_at_corners_pointed_out() -> None:
    data = PHOTO.read_bytes()
    (found,) = read_photo(data).kingdoms
    nudged = [(x + 4, y - 3) for x, y in found.corners]
    (seen,) = read_at(data, nudged, found.rows, found.columns).kingdoms
    assert seen.grid == found.grid
    # A row more than there is: empty, and nothing else changes.
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = found.corners
    rows = found.rows
    longer = [
        (ax, ay),
        (bx, by),
        (cx + (cx - bx) / rows, cy + (cy - by) / rows),
        (dx + (dx - ax) / rows, dy + (dy - ay) / rows),
    ]
    (seen,) = read_at(load_photo(data), longer, rows + 1, found.columns).kingdoms
    assert seen.grid[:rows] == found.grid
    assert set(seen.grid[rows]) == {"."}


@pytest.mark.parametrize(
    ("corners", "rows"),
    [
        ([(0, 0), (100, 0), (100, 100), (0, 100)], 0),
        ([(0, 0), (100, 0), (100, 100), (0, 100)], 10),
        ([(0, 0), (0, 100), (100, 100), (100, 0)], 5),
        ([(0, 0), (100, 0), (0, 100), (100, 100)], 5),
        ([(0, 0), (1, 0), (1, 1), (0, 1)], 5),
        ([(0, 0), (100, 0), (100, float("nan")), (0, 100)], 5),
        ([(0, 0), (100, 0), (100, 100)], 5),
    ],
)
def test_corners_that_frame_no_grid_are_refused(corners: list[tuple[float, float]], rows: int) -> None:
    with pytest.raises(UsageError):
        read_at(PHOTO, corners, rows, 5)


def test_a_photo_without_a_kingdom_says_so(tmp_path: Path) -> None:
    grey = tmp_path / "table.png"
    cv2.imwrite(str(grey), np.full((600, 800, 3), 150, np.uint8))
    with pytest.raises(NoKingdom):
        read_photo(grey)
    result = run("read", str(grey))
    assert result.exit_code == 4
    assert len(result.stderr.splitlines()) == 1


def test_bad_photos_and_bad_outputs(tmp_path: Path) -> None:
    (tmp_path / "broken.jpg").write_bytes(PHOTO.read_bytes()[:5000])
    assert run("read", str(tmp_path / "broken.jpg")).exit_code == 3
    assert run("read", str(PHOTO), "--annotate", str(tmp_path / "seen.txt")).exit_code == 2
    assert run("read", str(PHOTO), "-o", str(tmp_path / "nowhere" / "x.kingdom")).exit_code == 2
    assert run("read", str(PHOTO), str(PHOTO), "--annotate", "x.jpg").exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["broken.jpg"]


def likely(grid: list[list[str]], doubtful: dict[tuple[int, int], str] | None = None) -> np.ndarray:
    """Log-probabilities of a network that is sure of a grid, and wrong about some places of it."""
    values = np.full((len(grid), len(grid[0]), len(LABELS)), -20.0, np.float32)
    for r, row in enumerate(grid):
        for c, cell in enumerate(row):
            values[r, c, LABELS.index(cell)] = -1.0 if (r, c) in (doubtful or {}) else -0.01
    for place, wrong in (doubtful or {}).items():
        values[(*place, LABELS.index(wrong))] = -0.5
    return values


def test_the_box_corrects_what_no_domino_shows() -> None:
    grid = [["C", "w1", "l0"], [".", "w0", "w0"]]
    decoded = decode([likely(grid, {(0, 1): "w2"})], "kingdomino")
    (seen,) = decoded.kingdoms
    assert seen.labels == tuple(map(tuple, grid))
    assert seen.plain[0][1] == "w2"
    assert seen.by_box


def test_the_smallest_box_that_fits_is_guessed() -> None:
    assert decode([likely([["C", "w1", "l0"]])]).rules == "kingdomino"
    assert decode([likely([["C", "t0", "t0"]])]).rules == "queendomino"


def test_what_no_box_can_lay_is_read_square_by_square() -> None:
    decoded = decode([likely([["C", "m3", "m3"]])], "kingdomino")
    (seen,) = decoded.kingdoms
    assert not seen.by_box
    assert seen.labels == (("C", "m3", "m3"),)
    assert seen.odd
    assert decoded.notes
    assert ("m3", "m3") not in rules_named("kingdomino").box.dominoes
