"""The photo loader: every kind of picture that phones make, and every kind of file that is none."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pillow_heif
import pytest
from PIL import Image

from scorer.errors import UnreadableInput
from scorer.vision import load
from scorer.vision.load import load_photo
from tests.vision.hostile import jpeg_that_says, png, scans, webp_that_says, zeros

WIDTH, HEIGHT = 96, 64


def picture(width: int = WIDTH, height: int = HEIGHT) -> Image.Image:
    """Red above left, green above right, blue below left, white below right."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] = (220, 30, 30)
    pixels[: height // 2, width // 2 :] = (30, 200, 30)
    pixels[height // 2 :, : width // 2] = (30, 30, 220)
    pixels[height // 2 :, width // 2 :] = (240, 240, 240)
    return Image.fromarray(pixels)


def encoded(kind: str, image: Image.Image | None = None, **options: object) -> bytes:
    out = io.BytesIO()
    image = image or picture()
    if kind == "HEIF":
        pillow_heif.from_pillow(image).save(out, quality=95, **options)
    else:
        image.save(out, kind, **options)
    return out.getvalue()


KINDS = {"JPEG": "JPEG", "PNG": "PNG", "WEBP": "WebP", "HEIF": "HEIC"}


def corners(image: np.ndarray) -> list[str]:
    """Names of the colours above left, above right, below left, below right."""
    names = {"red": (220, 30, 30), "green": (30, 200, 30), "blue": (30, 30, 220), "white": (240, 240, 240)}
    rows, columns = image.shape[:2]
    found = []
    for y, x in ((0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)):
        pixel = image[int(y * rows), int(x * columns)].astype(int)
        found.append(min(names, key=lambda n: np.abs(pixel - names[n]).sum()))
    return found


UPRIGHT = ["red", "green", "blue", "white"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_phone_photo_is_read(kind):
    photo = load_photo(encoded(kind))
    assert photo.kind == KINDS[kind]
    assert (photo.width, photo.height, photo.scale) == (WIDTH, HEIGHT, 1.0)
    assert photo.image.shape == (HEIGHT, WIDTH, 3)
    assert photo.image.dtype == np.uint8
    assert photo.image.flags.c_contiguous
    assert corners(photo.image) == UPRIGHT


@pytest.mark.parametrize("kind", KINDS)
def test_the_name_does_not_matter(kind, tmp_path):
    path = tmp_path / "photo.txt"
    path.write_bytes(encoded(kind))
    assert load_photo(path).kind == KINDS[kind]
    assert load_photo(str(path)).kind == KINDS[kind]
    with path.open("rb") as file:
        assert load_photo(file).kind == KINDS[kind]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_is_applied(kind, orientation):
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = picture().transpose(undo[orientation]) if orientation > 1 else picture()
    exif = Image.Exif()
    exif[0x0112] = orientation
    photo = load_photo(encoded(kind, stored, exif=exif))
    assert (photo.width, photo.height) == (WIDTH, HEIGHT)
    assert photo.image.shape == (HEIGHT, WIDTH, 3)
    assert corners(photo.image) == UPRIGHT


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_a_heic_is_turned_once(orientation):
    undo = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}
    stored = picture().transpose(undo[orientation]) if orientation > 1 else picture()
    exif = Image.Exif()
    exif[0x0112] = orientation
    photo = load_photo(encoded("HEIF", stored, exif=exif.tobytes()))
    assert (photo.width, photo.height) == (WIDTH, HEIGHT)
    assert corners(photo.image) == UPRIGHT


def test_damaged_metadata_does_not_cost_the_picture():
    good = encoded("JPEG")
    segment = b"Exif\0\0II*\0\xff\xff\xff\x7f"
    data = good[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + good[2:]
    assert corners(load_photo(data).image) == UPRIGHT


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_mode_of_png_becomes_rgb(mode):
    if mode == "I;16":
        image = Image.fromarray(np.full((8, 12), 40_000, np.uint16))
    else:
        grey = Image.new("RGB", (12, 8), (156, 156, 156))
        image = grey.quantize(4) if mode == "P" else grey.convert(mode)
    photo = load_photo(encoded("PNG", image))
    assert photo.image.shape == (8, 12, 3)
    if mode != "1":
        assert np.abs(photo.image.astype(int) - 156).max() <= 2


def test_sixteen_bit_colour_png_becomes_rgb():
    rows = b"".join(b"\0" + struct.pack(">HHH", 50_000, 20_000, 1_000) * 4 for _ in range(4))
    data = png(4, 4, zlib.compress(rows), depth=16)
    assert load_photo(data).image[0, 0].tolist() == pytest.approx([195, 78, 4], abs=1)


def test_transparent_places_are_white():
    assert load_photo(encoded("PNG", Image.new("RGBA", (4, 4), (9, 9, 9, 0)))).image.min() == 255
    palette = Image.new("P", (4, 4), 0)
    assert load_photo(encoded("PNG", palette, transparency=0)).image.min() == 255


def test_cmyk_jpeg_becomes_rgb():
    photo = load_photo(encoded("JPEG", picture().convert("CMYK"), quality=95))
    assert corners(photo.image) == UPRIGHT


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_of_an_animation_the_first_picture_is_read_and_said(kind):
    frames = [Image.new("RGB", (20, 20), (0, 0, 200))]
    photo = load_photo(encoded(kind, Image.new("RGB", (20, 20), (200, 0, 0)), save_all=True, append_images=frames))
    assert photo.image[10, 10].tolist() == pytest.approx([200, 0, 0], abs=3)
    assert list(map(str, photo.notes)) == ["animated: only the first picture is read"]


@pytest.mark.parametrize("kind", KINDS)
def test_large_photos_are_reduced_and_points_lead_back(kind):
    photo = load_photo(encoded(kind, picture(1200, 800)), max_side=300)
    assert photo.image.shape == (200, 300, 3)
    assert (photo.width, photo.height) == (1200, 800)
    assert photo.scale == pytest.approx(1 / 4)
    assert photo.to_photo(np.array([[-0.5, -0.5], [299.5, 199.5]])).tolist() == [[-0.5, -0.5], [1199.5, 799.5]]
    assert corners(photo.image) == UPRIGHT


@pytest.mark.parametrize(
    ("size", "decoded"),
    [
        ((4032, 3024), (2016, 1512)),
        ((4608, 3456), (2304, 1728)),
        ((2400, 1800), (2400, 1800)),
        ((3000, 2000), (1500, 1000)),
        ((2410, 10), (2400, 10)),
    ],
)
def test_a_jpeg_is_decoded_at_half_size_where_that_is_enough(size, decoded):
    photo = load_photo(encoded("JPEG", Image.new("RGB", size)))
    assert photo.image.shape[1::-1] == decoded


@pytest.mark.parametrize("size", [(1, 1), (65_500, 1), (1, 65_500), (2, 9000)])
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_odd_shapes_are_pictures_too(kind, size):
    photo = load_photo(encoded(kind, Image.new("RGB", size, (90, 90, 90))))
    assert (photo.width, photo.height) == size
    assert min(photo.image.shape[:2]) >= 1
    assert max(photo.image.shape) <= load.MAX_SIDE


def bomb(side: int = 18_000) -> bytes:
    """A PNG of some 324 megapixels that packs into very little."""
    return png(side, side, zeros(side // 100 * (1 + 3 * side)))


def refused(source: object) -> str:
    with pytest.raises(UnreadableInput) as caught:
        load_photo(source)  # type: ignore[arg-type]
    assert caught.value.exit_code == 3
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_png_bomb_is_refused_by_its_header():
    assert "more than 50 megapixels" in refused(bomb())


def test_a_webp_bomb_is_refused_by_its_header():
    assert "more than 25 megapixels" in refused(webp_that_says(16_383, 16_383))


def test_a_jpeg_bomb_is_refused_by_its_header():
    assert "more than 110 megapixels" in refused(jpeg_that_says(65_000, 65_000, encoded("JPEG")))
    progressive = encoded("JPEG", progressive=True)
    assert "more than 50 megapixels" in refused(jpeg_that_says(9_000, 9_000, progressive))


def test_a_jpeg_of_endless_scans_is_refused():
    assert "scans" in refused(scans(encoded("JPEG", progressive=True), 300))


def test_a_large_jpeg_may_have_fewer_scans():
    data = jpeg_that_says(7_000, 7_000, encoded("JPEG", progressive=True))
    assert "over 40 scans" in refused(scans(data, 41))


# The kernel's own high-water mark of this process alone: what getrusage tells a child includes its parent's past.
PEAK = """
import re, sys
def peak():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is told by Linux's /proc")
def test_bombs_cost_no_memory(tmp_path):
    """Both bombs are refused by a process that may not grow by as much as one of them."""
    paths = []
    for name, data in (("a.png", bomb()), ("b.jpg", jpeg_that_says(65_000, 65_000, encoded("JPEG")))):
        paths.append(str(tmp_path / name))
        (tmp_path / name).write_bytes(data)
    program = (
        PEAK
        + """
from scorer.errors import UnreadableInput
from scorer.vision.load import load_photo
from tests.vision.hostile import jpeg_that_says, png, scans, webp_that_says, zeros
before = peak()
for path in sys.argv[1:]:
    try:
        load_photo(path)
    except UnreadableInput as error:
        print(error)
print(peak() - before)
"""
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program, *paths], capture_output=True, text=True, check=True, env=environment
    )
    *messages, grown = done.stdout.splitlines()
    assert len(messages) == 2
    assert int(grown) < 20_000  # kilobytes


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is told by Linux's /proc")
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "16 bits", "WEBP"])
def test_the_largest_photos_stay_within_500_megabytes(kind, tmp_path):
    side = {"JPEG": 10_480, "WEBP": 5_000}.get(kind, 7_070)
    if kind == "16 bits":
        image = Image.fromarray(np.full((side, side), 40_000, np.uint16))
    else:
        image = Image.new("RGB", (side, side), (90, 120, 60))
    path = tmp_path / "large"
    image.save(path, "PNG" if kind == "16 bits" else kind, **({"method": 0} if kind == "WEBP" else {}))
    program = (
        PEAK
        + """
from scorer.vision.load import load_photo
from tests.vision.hostile import jpeg_that_says, png, scans, webp_that_says, zeros
load_photo(sys.argv[1])
print(peak())
"""
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 500_000  # kilobytes


@pytest.mark.parametrize("tenth", range(10))
@pytest.mark.parametrize("kind", KINDS)
def test_truncated_photos_are_refused(kind, tenth):
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (120, 160, 3), np.uint8))
    data = encoded(kind, noise)
    refused(data[: len(data) * tenth // 10])


@pytest.mark.parametrize("kind", KINDS)
def test_flipped_bytes_end_in_a_picture_or_in_the_one_error(kind):
    rng = np.random.default_rng(2)
    good = encoded(kind)
    for _ in range(150):
        data = bytearray(good)
        for at in rng.integers(0, len(data), 6):
            data[at] = rng.integers(256)
        with contextlib.suppress(UnreadableInput):
            assert load_photo(bytes(data)).image.ndim == 3


def test_what_is_no_photo_is_named(tmp_path):
    text = tmp_path / "letter.jpg"
    text.write_text("Dear king,")
    assert "not a photo" in refused(text)
    assert str(text) in refused(text)
    empty = tmp_path / "empty.jpg"
    empty.touch()
    assert "empty" in refused(empty)
    assert "empty" in refused(b"")
    assert "folder" in refused(tmp_path)
    assert "no such file" in refused(tmp_path / "missing.jpg")
    assert "not a photo" in refused(b"GIF89a" + b"\0" * 100)
    assert "cannot be read" in refused("a\0b.jpg")


def test_other_picture_formats_are_not_decoded():
    for kind in ("BMP", "TIFF", "GIF", "PPM"):
        assert "not a photo" in refused(encoded(kind))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_a_pipe_is_refused_without_waiting(tmp_path):
    pipe = tmp_path / "pipe.jpg"
    os.mkfifo(pipe)
    assert "no ordinary file" in refused(pipe)


def test_too_many_bytes_are_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr(load, "MAX_BYTES", 1000)
    path = tmp_path / "long.jpg"
    path.write_bytes(b"\xff\xd8\xff" + b"\0" * 2000)
    assert "larger than" in refused(path)
    assert "larger than" in refused(io.BytesIO(path.read_bytes()))
    assert "larger than" in refused(path.read_bytes())


def test_messages_call_the_photo_by_its_given_name():
    with pytest.raises(UnreadableInput, match=r"^upload 1: "):
        load_photo(b"nothing", name="upload 1")


def test_the_path_type_of_a_missing_parent(tmp_path):
    assert "no such file" in refused(Path(tmp_path) / "no" / "photo.jpg")
