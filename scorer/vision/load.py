"""Opens a photo safely: the only way that picture files enter the program.

Photos come from strangers: a folder off the internet, an upload from the local network. This module protects against

- decompression bombs: a few kilobytes that unpack to gigabytes. Width and height are read from the header and
  judged before any decoder that allocates by them sees the file;
- files that are huge, endless or no files at all (devices, pipes, directories): only regular files, only MAX_BYTES;
- files that make a decoder work for hours: the number of scans of a JPEG is limited;
- wrong names: the kind is decided by the first bytes, and only that one decoder is asked. Pillow's other decoders
  (there are some forty, rarely looked at) are never reached;
- damaged, truncated and malicious contents: whatever a decoder throws becomes one `UnreadableInput`. A truncated
  photo is refused, not filled up with grey;
- leaking where a photo was taken: of the metadata only the orientation and the camera's name are used, nothing else
  is kept.

Accepted risks: a fault in the decoders themselves (libjpeg-turbo, zlib, libwebp, libheif) is not contained, since
decoding happens in this process; a HEIC may decode to other dimensions than it declares, within libheif's own limits;
colour profiles are ignored, so that wide-gamut photos look slightly paler than they are.
"""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile
from pillow_heif import HeifImageFile

from scorer.errors import UnreadableInput
from scorer.names import one_line
from scorer.rules.message import Message, msg
from scorer.source import MAX_BYTES, read_file

MAX_PIXELS = 110_000_000
"""The largest phone sensors have 108 megapixels; such a JPEG is decoded at a fraction of its size."""

MAX_PIXELS_DECODED_WHOLE = 50_000_000
"""PNG, HEIC and progressive JPEG must be decoded at full size: 48 megapixels, as phones shoot HEIC, is 150 MB, and
its decoder holds it twice."""

MAX_PIXELS_WEBP = 25_000_000
"""No camera writes WebP, and its decoder takes sixteen bytes a pixel: 400 MB at this limit."""

MAX_SCANS = 200
"""Passes over a progressive JPEG: cameras and programs write about ten, each costs a walk over the whole picture."""

MAX_PIXELS_SCANNED = 2_000_000_000
"""Pixels of a JPEG times its scans, forty of 48 megapixels: about a second. Two hundred took five and a half."""

MAX_SIDE = 2400
"""Longest side of what is handed on. Half of a 12-megapixel photo is 2016, of 16 megapixels 2304: both can be decoded
at half size, and a 9x9 kingdom still has over a hundred pixels a square."""

SMALLEST_SHARE = 0.6
"""A JPEG is decoded at the largest eighth, quarter or half that fits `max_side`, unless that leaves less than this."""

MAX_CAMERA = 100
"""Letters of a camera's name."""


Depth = TypeVar("Depth", np.uint8, np.uint16)


@dataclass(frozen=True, eq=False)
class Photo:
    """A photo as its viewer sees it, orientation applied.

    image: uint8 (rows, columns, 3) RGB, 0..255, perhaps reduced; width, height: of the full photo; scale: pixels of
    `image` per pixel of the full photo, at most 1; notes: what was left out, in words for the user; camera: its make,
    model and focal length as far as the photo says so.
    """

    image: NDArray[np.uint8]
    width: int
    height: int
    scale: float
    kind: str
    notes: tuple[Message, ...] = ()
    camera: str = ""

    def to_photo(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """Pixels of `image` (..., 2) as pixels of the full photo, float64 of the same shape."""
        rows, columns = self.image.shape[:2]
        ratio = np.array([self.width / columns, self.height / rows])
        return np.asarray((np.asarray(points, np.float64) + 0.5) * ratio - 0.5)

    def from_photo(self, points: NDArray[np.floating]) -> NDArray[np.float32]:
        """Pixels of the full photo (..., 2) as pixels of `image`, float32 of the same shape."""
        rows, columns = self.image.shape[:2]
        ratio = np.array([columns / self.width, rows / self.height])
        return np.asarray((np.asarray(points, np.float64) + 0.5) * ratio - 0.5, np.float32)


def load_photo(source: Path | str | bytes | BinaryIO, *, max_side: int = MAX_SIDE, name: str | None = None) -> Photo:
    """Reads a photo from a file, from bytes or from an open binary file; raises only UnreadableInput.

    `name` is what messages call it; without one it is the file's path, or "photo".
    """
    name = name or (str(source) if isinstance(source, str | Path) else "photo")
    data = _read(source, name)
    kind = _kind(data)
    if kind is None:
        raise UnreadableInput(msg("not a photo. It must be a JPEG, PNG, WebP or HEIC picture."), name)
    with warnings.catch_warnings():
        # Pillow comments on odd metadata; nothing of it concerns the user.
        warnings.simplefilter("ignore")
        try:
            return _decode(data, kind, name, max_side)
        except UnreadableInput:
            raise
        except Exception as error:  # a hostile file can make a decoder raise nearly anything
            text = msg("the {kind} picture is damaged or incomplete. Copy it again or take a new photo.", kind=kind)
            raise UnreadableInput(text, name) from error


def _read(source: Path | str | bytes | BinaryIO, name: str) -> bytes:
    if isinstance(source, bytes):
        data = source
    elif isinstance(source, str | Path):
        data, _ = read_file(source, name)
    else:
        try:
            data = source.read(MAX_BYTES + 1)
        except OSError as error:
            raise UnreadableInput(f"{name}: cannot be read ({error.strerror or error}).") from error
    if len(data) > MAX_BYTES:
        raise UnreadableInput(_too_many_bytes(), name)
    if not data:
        raise UnreadableInput(msg("the file is empty."), name)
    return data


def _too_many_bytes() -> Message:
    return msg("larger than {most} MB. Save the photo smaller and try again.", most=MAX_BYTES // 2**20)


_HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")


def _kind(data: bytes) -> str | None:
    """The picture's kind by its first bytes."""
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP"
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC_BRANDS:
        return "HEIC"
    return None


def _declared_webp(data: bytes) -> tuple[int, int]:
    """Width and height by the header. Opening a WebP already allocates its canvas, so Pillow cannot be asked."""
    chunk = data[12:16]
    if chunk == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if chunk == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    raise ValueError("unknown WebP chunk")


_OPEN: dict[str, Callable[[io.BytesIO], Image.Image]] = {
    "JPEG": JpegImageFile,
    "PNG": PngImageFile,
    "WebP": WebPImageFile,
    "HEIC": HeifImageFile,
}


def _decode(data: bytes, kind: str, name: str, max_side: int) -> Photo:
    if kind == "WebP":
        _check_pixels(_declared_webp(data), MAX_PIXELS_WEBP, name)
    with _OPEN[kind](io.BytesIO(data)) as picture:
        size = picture.size
        by_parts = kind == "JPEG" and not picture.info.get("progressive")
        _check_pixels(size, MAX_PIXELS if by_parts else MAX_PIXELS_DECODED_WHOLE, name)
        if kind == "JPEG":
            _check_scans(data, size, name)
        orientation, camera = _orientation(picture, kind), _camera(picture)
        animated = getattr(picture, "is_animated", False)
        notes = (msg("animated: only the first picture is read"),) if animated else ()
        if kind == "JPEG":
            picture.draft(None, _draft_size(size, max_side))
        picture.load()
        if kind == "HEIC":
            size = picture.size  # libheif may crop or turn while it decodes
        image = _oriented(_reduced(_rgb(picture, max_side), max_side), orientation)
    width, height = size if orientation < 5 else size[::-1]
    return Photo(image, width, height, min(1.0, image.shape[1] / width), kind, notes, camera)


def _check_pixels(size: tuple[int, int], limit: int, name: str) -> None:
    width, height = size
    if width < 1 or height < 1:
        raise ValueError("no pixels")
    if width * height > limit:
        text = msg(
            "{width} x {height} pixels is more than {most} megapixels. Save the photo smaller and try again.",
            width=width,
            height=height,
            most=limit // 10**6,
        )
        raise UnreadableInput(text, name)


def _check_scans(data: bytes, size: tuple[int, int], name: str) -> None:
    most = min(MAX_SCANS, MAX_PIXELS_SCANNED // (size[0] * size[1]))
    # 0xFF 0xDA cannot occur inside a scan's own data: every 0xFF there is followed by 0x00.
    if data.count(b"\xff\xda") > most:
        raise UnreadableInput(
            msg("the JPEG has over {most} scans. Save it anew in a picture program.", most=most), name
        )


def _draft_size(size: tuple[int, int], max_side: int) -> tuple[int, int]:
    """The size to ask libjpeg for; it decodes at the smallest eighth, quarter, half or whole that is not below."""
    width, height = size
    for part in (1, 2, 4, 8):
        longest = -(-max(size) // part)
        if longest <= max_side:
            if part > 1 and longest < SMALLEST_SHARE * max_side:
                part //= 2
            return max(1, width // part), max(1, height // part)
    return max(1, width // 8), max(1, height // 8)


def _orientation(picture: Image.Image, kind: str) -> int:
    """The EXIF orientation, 1 to 8. A HEIC is turned by its decoder."""
    if kind == "HEIC":
        return 1
    try:
        value = picture.getexif().get(0x0112, 1)
    except Exception:  # damaged metadata must not cost the picture
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _camera(picture: Image.Image) -> str:
    """Make, model and focal length, which tells the lenses of a phone apart; empty where the photo does not say."""
    try:
        exif = picture.getexif()
        words = [one_line(str(exif.get(tag, ""))) for tag in (0x010F, 0x0110)]
        focal = float(exif.get_ifd(0x8769).get(0x920A, 0))
    except Exception:  # damaged metadata must not cost the picture
        return ""
    named = [word for word in words if word]
    return " ".join([*named, f"{focal:.2f} mm"] if named and focal > 0 else named)[:MAX_CAMERA]


def _rgb(picture: Image.Image, max_side: int) -> NDArray[np.uint8]:
    """Any mode that the four kinds decode to, as uint8 (rows, columns, 3)."""
    if picture.mode.startswith("I"):  # 16 bits a pixel, grey
        deep = _reduced(np.clip(np.asarray(picture), 0, 65_535).astype(np.uint16, copy=False), max_side)
        return np.repeat((deep >> 8).astype(np.uint8)[..., None], 3, axis=2)
    if picture.mode in ("P", "PA") and "transparency" in picture.info:
        picture = picture.convert("RGBA")
    # Reduced before it is converted, so that no second full-size copy is made.
    shrink = max(picture.size) // max_side
    if shrink > 1 and picture.mode in ("L", "LA", "RGB", "RGBA", "CMYK"):
        picture = picture.reduce(shrink)
    if picture.mode in ("LA", "PA", "RGBA", "La", "RGBa"):
        picture = picture.convert("RGBA")
        paper = Image.new("RGB", picture.size, (255, 255, 255))
        paper.paste(picture, mask=picture.getchannel("A"))
        picture = paper
    return np.array(picture if picture.mode == "RGB" else picture.convert("RGB"), np.uint8)


def _reduced(image: NDArray[Depth], max_side: int) -> NDArray[Depth]:
    rows, columns = image.shape[:2]
    longest = max(rows, columns)
    if longest <= max_side:
        return image
    size = (max(1, round(columns * max_side / longest)), max(1, round(rows * max_side / longest)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), image.dtype)


_TURNS: dict[int, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]] = {
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.transpose(1, 0, 2),
    6: lambda a: a[::-1].transpose(1, 0, 2),
    7: lambda a: a[::-1, ::-1].transpose(1, 0, 2),
    8: lambda a: a[:, ::-1].transpose(1, 0, 2),
}


def _oriented(image: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    return np.ascontiguousarray(_TURNS[orientation](image))
