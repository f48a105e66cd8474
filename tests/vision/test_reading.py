"""A photo read end to end: what comes out, in which form, and what is said when nothing can be read."""

import json
from dataclasses import replace
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
from scorer.vision.classify import LABELS
from scorer.vision.load import load_photo
from scorer.vision.reading import read_at, read_together, sight

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
    assert str(scorer.Kingdom.parse(file.read_text())) == form["kingdoms"][0]["notation"]
    assert set(form["timings_ms"]) == {"load", "locate", "classify", "decode"}
    with Image.open(picture) as drawn:
        assert min(drawn.size) > 500
        assert not drawn.getexif()
        assert not drawn.info.keys() & {"exif", "xmp", "icc_profile", "comment"}
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


def test_several_photos_of_one_table_share_a_box() -> None:
    one = sight(PHOTO)
    readings = read_together([one, one], "kingdomino")
    assert [reading.kingdoms[0].grid for reading in readings] == [readings[0].kingdoms[0].grid] * 2
    assert all(any("more often than the box holds it" in str(note) for note in reading.notes) for reading in readings)


def test_photos_of_the_same_kingdom_are_read_as_one(tmp_path: Path) -> None:
    turned, glare = tmp_path / "turned.png", tmp_path / "glare.png"
    (found,) = read_photo(PHOTO).kingdoms
    with Image.open(PHOTO) as photo:
        photo.rotate(90, expand=True).save(turned)
        spoilt = np.array(photo)
    hidden = next((r, c) for r, row in enumerate(found.grid) for c, cell in enumerate(row) if cell == "m2")
    cv2.fillConvexPoly(spoilt, np.round(found.quads[hidden]).astype(np.int32), (255, 255, 255))
    Image.fromarray(spoilt).save(glare)
    (alone,) = read_photo(glare).kingdoms
    assert hidden in {doubt.square for doubt in alone.doubts}
    result = run("read", "--same", str(glare), str(turned), str(tmp_path / "none.jpg"), "--json")
    assert result.exit_code == 3
    form, error = sorted(map(json.loads, result.stdout.splitlines()), key=lambda line: line["format"], reverse=True)
    assert error["source"] == str(tmp_path / "none.jpg")
    (seen,) = form["kingdoms"]
    grids = [np.rot90(np.array(found.grid), turn).tolist() for turn in range(4)]
    assert seen["grid"] in grids


def test_what_is_doubtful_is_written_as_comments(tmp_path: Path) -> None:
    file = tmp_path / "seen.kingdom"
    spoilt = np.array(Image.open(PHOTO))
    (found,) = read_photo(PHOTO).kingdoms
    for place in ((0, 1), (1, 3)):
        cv2.fillConvexPoly(spoilt, np.round(found.quads[place]).astype(np.int32), (255, 255, 255))
    photo = tmp_path / "glare.png"
    Image.fromarray(spoilt).save(photo)
    result = run("read", str(photo), "-o", str(file), "--strict")
    assert result.exit_code == 1
    comments = [line for line in file.read_text().splitlines() if line.startswith("# ")]
    assert any("light glares on it" in line for line in comments)
    assert "take one more photo" in result.stderr
    assert run("score", str(file)).exit_code == 0


def test_a_grid_without_a_castle_beside_a_kingdom_is_left_out() -> None:
    one = sight(PHOTO)
    (kingdom,) = one.kingdoms
    # Mines with three crowns all over, which no box has; nobody saw a castle there.
    mines = np.full_like(kingdom.likely, -12.0)
    mines[..., LABELS.index("m3")] = -0.01
    said = {name: np.zeros_like(values) for name, values in kingdom.said.items()}
    mat = replace(kingdom, likely=mines, said=said, lattice=replace(kingdom.lattice, castle=None))
    (both,) = read_together([replace(one, kingdoms=(mat, kingdom))])
    assert [read.kingdom.castle for read in both.kingdoms] == [read_photo(PHOTO).kingdoms[0].kingdom.castle]
    assert any("left out" in str(note) for note in both.notes)
    assert not any("one by one" in str(note) for note in both.notes)
    (alone,) = read_together([replace(one, kingdoms=(mat,))])
    assert alone.kingdoms[0].doubts
    assert any("one by one" in str(note) for note in alone.notes)
