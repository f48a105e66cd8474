"""Pictures made to break a photo loader, and what they cost: `python -m tests.vision.hostile` tries all of them.

None of them is kept as a file: `corpus` makes them, sound pictures of every kind first, then the same ones damaged.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pillow_heif
from PIL import Image, features

MEGABYTES, SECONDS = 1000, 5.0
"""What one picture may cost: memory of the whole process, and its own processor time."""
FLIPS, FLIPS_SHORT = 100, 10
"""Damaged copies of each small picture."""
RESULT, ERRORS = "result", ("UnreadableInput", "NoKingdom")


def picture(width: int = 96, height: int = 64) -> Image.Image:
    """Colours and edges enough that every decoder has something to do."""
    rng = np.random.default_rng(width * height)
    coarse = rng.integers(0, 255, (max(1, height // 8), max(1, width // 8), 3), np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BILINEAR)


def encoded(kind: str, image: Image.Image, **options: object) -> bytes:
    out = io.BytesIO()
    if kind == "HEIF":
        pictures = pillow_heif.from_pillow(image)
        for frame in options.pop("append_images", ()):  # type: ignore[attr-defined]
            pictures.add_from_pillow(frame)
        pictures.save(out, **{"quality": 80, **options})
    else:
        image.save(out, kind, **options)
    return out.getvalue()


def with_exif(orientation: object = 6) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Maker"
    exif.get_ifd(0x8769)[0x920A] = 4.2
    return exif.tobytes()


@cache
def small_pictures() -> dict[str, bytes]:
    """Sound pictures of every kind, mode and coding that a loader may meet, some hundred pixels wide."""
    plain = picture()
    frames = [picture(96, 64).rotate(90 * turn) for turn in range(1, 4)]
    deep = Image.fromarray((np.arange(96 * 64, dtype=np.uint16) * 10).reshape(64, 96))
    animated = {"save_all": True, "append_images": frames}
    found = {
        "baseline.jpg": encoded("JPEG", plain),
        "progressive.jpg": encoded("JPEG", plain, progressive=True),
        "restarts.jpg": encoded("JPEG", plain, restart_marker_blocks=2, subsampling=0),
        "grey.jpg": encoded("JPEG", plain.convert("L")),
        "cmyk.jpg": encoded("JPEG", plain.convert("CMYK")),
        "exif.jpg": encoded("JPEG", plain, exif=with_exif()),
        "several.jpg": encoded("MPO", plain, **animated),
        "deep.png": encoded("PNG", deep),
        "deep-colour.png": png(96, 64, zlib.compress(b"".join(b"\0" + bytes(range(192)) * 3 for _ in range(64))), 16),
        "animated.png": encoded("PNG", plain, **animated),
        "exif.png": encoded("PNG", plain, exif=with_exif()),
        "transparent-palette.png": encoded("PNG", plain.quantize(16), transparency=3),
        **{f"{mode}.png": encoded("PNG", plain.convert(mode)) for mode in ("1", "L", "LA", "P", "RGB", "RGBA")},
        "lossy.webp": encoded("WEBP", plain, exif=with_exif()),
        "lossless.webp": encoded("WEBP", plain.convert("RGBA"), lossless=True),
        "animated.webp": encoded("WEBP", plain, **animated),
        "plain.heic": encoded("HEIF", plain, exif=with_exif()),
        "alpha.heic": encoded("HEIF", plain.convert("RGBA")),
        "grey.heic": encoded("HEIF", plain.convert("L")),
        "deep.heic": encoded("HEIF", deep),
        "several.heic": encoded("HEIF", plain, **animated),
        "plain.gif": encoded("GIF", plain, **animated),
        "plain.tif": encoded("TIFF", plain, compression="tiff_lzw"),
        "plain.bmp": encoded("BMP", plain),
    }
    if features.check("avif"):
        found["plain.avif"] = encoded("AVIF", plain)
    return found


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width: int, height: int, packed: bytes, depth: int = 8, between: bytes = b"", interlaced: int = 0) -> bytes:
    """A PNG in colour around packed rows; `between`: chunks before them."""
    header = struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + between + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def zeros(count: int) -> bytes:
    """So many zero bytes, packed; a block that depends on none before it is packed once and repeated."""
    size = 2**20
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    block = packer.compress(bytes(size)) + packer.flush(zlib.Z_FULL_FLUSH)
    rest = packer.compress(bytes(count % size)) + packer.flush()
    checksum = struct.pack(">HH", count % 65_521, 1)
    return b"\x78\xda" + block * (count // size) + rest + checksum


def jpeg_that_says(width: int, height: int, data: bytes) -> bytes:
    """A JPEG whose header claims another size."""
    at = max(data.find(b"\xff\xc0"), data.find(b"\xff\xc2"))
    return data[: at + 5] + struct.pack(">HH", height, width) + data[at + 9 :]


def webp_that_says(width: int, height: int) -> bytes:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"VP8X" + struct.pack("<I", 10) + b"\0\0\0\0" + sides + b"VP8L" + struct.pack("<I", 4) + b"\0\0\0\0"
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def heic_that_says(width: int, height: int, data: bytes) -> bytes:
    return re.sub(rb"(ispe....)........", lambda m: m[1] + struct.pack(">II", width, height), data, flags=re.DOTALL)


def scans(data: bytes, count: int) -> bytes:
    """A progressive JPEG whose last scan is repeated."""
    last = data.rfind(b"\xff\xda")
    return data[:-2] + data[last:-2] * (count - data.count(b"\xff\xda")) + data[-2:]


def bombs() -> Iterator[tuple[str, bytes]]:
    """Little to send, much to unpack, by what they claim or by what they hold."""
    tiny = small_pictures()
    side = 18_000
    yield "bomb.png", png(side, side, zeros(side * (1 + 3 * side)))
    yield "bomb-claims.png", png(2**31 - 1, 2**31 - 1, zeros(1000))
    yield "bomb-deep.png", png(9_000, 9_000, zeros(10**6), 16)
    yield "bomb-interlaced.png", png(7_000, 7_000, zeros(7_000 * (1 + 3 * 7_000)), interlaced=1)
    yield "bomb-endless-rows.png", png(64, 64, zeros(500 * 10**6))
    text = b"Comment\0\0" + zeros(200 * 10**6)
    yield "bomb-text.png", png(64, 64, zeros(64 * 193), between=chunk(b"zTXt", text))
    many = chunk(b"zTXt", b"Comment\0\0" + zeros(10**6 - 100)) * 500
    yield "bomb-many-texts.png", png(64, 64, zeros(64 * 193), between=many)
    yield "bomb-profile.png", png(64, 64, zeros(64 * 193), between=chunk(b"iCCP", b"ICC\0\0" + zeros(200 * 10**6)))
    yield "bomb-chunks.png", png(64, 64, zeros(64 * 193), between=chunk(b"tEXt", b"a\0b") * 200_000)
    yield "bomb.jpg", jpeg_that_says(65_000, 65_000, tiny["baseline.jpg"])
    yield "bomb-progressive.jpg", jpeg_that_says(9_000, 9_000, tiny["progressive.jpg"])
    yield "bomb-cmyk.jpg", jpeg_that_says(10_400, 10_400, tiny["cmyk.jpg"])
    yield "bomb-scans.jpg", scans(tiny["progressive.jpg"], 5_000)
    yield "bomb-segments.jpg", tiny["baseline.jpg"][:2] + b"\xff\xfe\0\x03x" * 500_000 + tiny["baseline.jpg"][2:]
    yield "bomb.webp", webp_that_says(16_383, 16_383)
    yield "bomb-canvas.webp", webp_that_says(2**24, 2**24)
    yield "bomb.heic", heic_that_says(65_535, 65_535, tiny["plain.heic"])
    yield "bomb-claims.heic", heic_that_says(2**32 - 1, 2**32 - 1, tiny["plain.heic"])
    yield "bomb-within.heic", heic_that_says(7_000, 7_000, tiny["plain.heic"])


def large() -> Iterator[tuple[str, bytes]]:
    """As large as is accepted, or slow to unpack for their size."""
    side = 7_070
    flat = Image.new("RGB", (side, side), (90, 120, 60))
    yield "large.png", png(side, side, zeros(side * (1 + 3 * side)))
    yield "large-deep.png", png(side, side, zeros(side * (1 + 6 * side)), 16)
    yield "large-palette.png", encoded("PNG", flat.quantize(2), transparency=0)
    yield "large-transparent.png", encoded("PNG", flat.convert("RGBA"))
    yield "large-grey-deep.png", encoded("PNG", Image.fromarray(np.full((side, side), 40_000, np.uint16)))
    yield "large-progressive.jpg", (progressive := encoded("JPEG", flat, progressive=True))
    for count in (40, 200):
        yield f"large-{count}-scans.jpg", scans(progressive, count)
    yield "large.jpg", encoded("JPEG", Image.new("RGB", (10_480, 10_480)))
    yield "large-cmyk.jpg", encoded("JPEG", Image.new("CMYK", (10_480, 10_480)))
    yield "large-cmyk-progressive.jpg", encoded("JPEG", flat.convert("CMYK"), progressive=True)
    yield "large.webp", encoded("WEBP", flat.crop((0, 0, 5_000, 5_000)), method=0)
    yield "large-lossless.webp", encoded("WEBP", flat.crop((0, 0, 5_000, 5_000)), lossless=True, method=0)
    noise = Image.fromarray(np.random.default_rng(3).integers(0, 255, (2_000, 2_000, 3), np.uint8))
    yield "noise.png", encoded("PNG", noise)
    yield "noise.jpg", encoded("JPEG", noise, quality=100)
    yield "noise.webp", encoded("WEBP", noise, method=0)
    yield "large.heic", encoded("HEIF", flat.crop((0, 0, 6_900, 6_900)), quality=10)


def odd_shapes() -> Iterator[tuple[str, bytes]]:
    for kind, suffix, longest in (("JPEG", "jpg", 65_500), ("PNG", "png", 65_535), ("WEBP", "webp", 16_383)):
        for size in ((1, 1), (longest, 1), (1, longest), (2, 3), (longest, 20)):
            yield f"{size[0]}x{size[1]}.{suffix}", encoded(kind, Image.new("RGB", size, (90, 120, 60)))
    tiny = small_pictures()
    for size in ((65_535, 1), (1, 65_535), (0, 0), (0, 64), (96, 0)):
        yield f"says-{size[0]}x{size[1]}.jpg", jpeg_that_says(*size, tiny["baseline.jpg"])
        yield f"says-{size[0]}x{size[1]}.png", png(*size, zeros(1000))
        yield f"says-{size[0]}x{size[1]}.heic", heic_that_says(*size, tiny["plain.heic"])
    for size in ((1, 1), (4, 3000), (3000, 4)):
        yield f"{size[0]}x{size[1]}.heic", encoded("HEIF", Image.new("RGB", size, (90, 120, 60)))


def odd_metadata() -> Iterator[tuple[str, bytes]]:
    plain = picture()
    for kind, suffix in (("JPEG", "jpg"), ("PNG", "png"), ("WEBP", "webp")):
        for orientation in (*range(10), 65_535):
            yield f"orientation-{orientation}.{suffix}", encoded(kind, plain, exif=with_exif(orientation))
    for orientation in range(10):
        yield f"orientation-{orientation}.heic", encoded("HEIF", plain, exif=with_exif(orientation))
    odd = {
        "empty": b"",
        "cut": with_exif()[:20],
        "huge-offset": b"Exif\0\0II*\0\xff\xff\xff\xff",
        "circle": b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<HHHIII", 1, 0x8769, 4, 1, 8, 8),
        "endless-count": b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<HHHIII", 1, 0x0112, 3, 2**32 - 1, 26, 0),
        "text": b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<HHHI4sI", 1, 0x0112, 2, 4, b"six\0", 0),
        "full": b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", 5000) + struct.pack("<HHII", 0x0112, 3, 1, 6) * 5000,
        "zero-divisor": b"Exif\0\0MM\0*\0\0\0\x08" + struct.pack(">HHHIII", 1, 0x0112, 5, 1, 26, 0) + bytes(8),
        "noise": b"Exif\0\0" + random.Random(5).randbytes(60_000),
    }
    for name, exif in odd.items():
        yield f"exif-{name}.jpg", jpeg_segment(exif)
        yield f"exif-{name}.webp", encoded("WEBP", plain, exif=exif)
        yield f"exif-{name}.png", png(64, 64, zeros(64 * 193), between=chunk(b"eXIf", exif[6:]))
        yield f"exif-{name}.heic", encoded("HEIF", plain, exif=exif or None)
    yield "profile-noise.jpg", encoded("JPEG", plain, icc_profile=random.Random(6).randbytes(200_000))
    yield "camera-noise.jpg", jpeg_segment(with_exif().replace(b"Maker", b"\xff\xfe\0\x1b["))


def jpeg_segment(segment: bytes) -> bytes:
    """A JPEG with a segment of metadata of our own making."""
    good = encoded("JPEG", picture())
    return good[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + good[2:]


def polyglots() -> Iterator[tuple[str, bytes]]:
    """Two kinds of file in one."""
    tiny = small_pictures()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("index.html", "<script>alert(1)</script>" * 50)
    for name, tail in (("zip", out.getvalue()), ("html", b"<html><script>alert(1)</script>"), ("elf", b"\x7fELF" * 99)):
        for kind in ("baseline.jpg", "RGB.png", "lossy.webp", "plain.heic"):
            yield f"and-{name}-{kind}", tiny[kind] + tail
            yield f"{name}-and-{kind}", tail + tiny[kind]
    yield "jpeg-and-png.jpg", tiny["baseline.jpg"] + tiny["RGB.png"]
    yield "jpeg-in-jpeg.jpg", jpeg_segment(tiny["baseline.jpg"])
    yield "png-head-jpeg.png", tiny["RGB.png"][:8] + tiny["baseline.jpg"]
    yield "jpeg-head-png.jpg", b"\xff\xd8\xff" + tiny["RGB.png"]
    yield "script.jpg", jpeg_segment(b"*/=alert(1);/*" * 100)
    yield "kingdom.jpg", b"rules: kingdomino\n\nC w1\n"
    yield "movie.heic", b"\0\0\0\x18ftypmp42\0\0\0\0mp42heic" + bytes(1000)
    yield "heads.heic", b"\0\0\0\x18ftypheic" * 5000
    for name, data in tiny.items():
        for suffix in ("jpg", "png", "webp", "heic", "kingdom"):
            if not name.endswith(suffix):
                yield f"{name}.{suffix}", data


def damaged(flips: int) -> Iterator[tuple[str, bytes]]:
    """Small pictures cut off at every tenth, and with bits turned over; the headers most of all."""
    rng = random.Random(7)
    for name, data in small_pictures().items():
        for tenth in range(10):
            yield f"cut-{tenth}-{name}", data[: len(data) * tenth // 10]
        yield f"cut-end-{name}", data[:-1]
        for number in range(flips):
            flipped = bytearray(data)
            # Two in three in the first kilobyte, where sizes, tables and boxes are.
            for _ in range(rng.choice((1, 1, 3, 10))):
                at = rng.randrange(min(len(data), 1000) if number % 3 else len(data))
                flipped[at] ^= 1 << rng.randrange(8)
            yield f"flip-{number}-{name}", bytes(flipped)


def corpus(short: bool) -> Iterator[tuple[str, bytes]]:
    """All hostile pictures with names to save them under; the short form leaves out the large and most damaged ones."""
    yield from small_pictures().items()
    yield from bombs()
    yield from odd_shapes()
    yield from odd_metadata()
    yield from polyglots()
    yield from damaged(FLIPS_SHORT if short else FLIPS)
    yield "empty.jpg", b""
    yield "noise.jpg", b"\xff\xd8\xff" + random.Random(8).randbytes(100_000)
    if not short:
        yield from large()


def tried(folder: Path, whole: bool) -> list[dict[str, object]]:
    """What became of every file below the folder, in one process of their own: outcome, processor seconds, megabytes.

    `whole`: kingdoms are looked for as well; otherwise the pictures are only loaded.
    """
    call = [sys.executable, "-m", "tests.vision.hostile", "--child", str(folder), *(["--whole"] if whole else [])]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode:
        lines.append(
            {"name": f"after {lines[-1]['name'] if lines else 'nothing'}", "outcome": f"exit {done.returncode}"}
        )
    return lines


def bad(results: list[dict[str, object]]) -> list[dict[str, object]]:
    """Those that are neither a result nor a named error, or cost too much."""
    return [
        one
        for one in results
        if one["outcome"] not in (RESULT, *ERRORS) or one["seconds"] > SECONDS or one["megabytes"] > MEGABYTES  # type: ignore[operator]
    ]


def _child(folder: Path, whole: bool) -> None:
    from scorer.vision.load import load_photo
    from scorer.vision.reading import read_photo

    read = read_photo if whole else load_photo
    if whole:  # the networks are loaded once, and are no picture's cost
        load_photo(encoded("JPEG", picture()))
        try_one(read, Path(__file__).parents[2] / "samples" / "photos" / "kingdomino.jpg")
    for path in sorted(folder.iterdir()):
        print(json.dumps(try_one(read, path)), flush=True)


def try_one(read: object, path: Path) -> dict[str, object]:
    _forget_peak()
    before = time.process_time()
    try:
        read(path)  # type: ignore[operator]
        outcome = RESULT
    except Exception as error:
        outcome = type(error).__name__
        if "\n" in str(error):
            outcome += " of several lines"
    return {"name": path.name, "outcome": outcome, "seconds": time.process_time() - before, "megabytes": _peak()}


def _forget_peak() -> None:
    """Linux only; elsewhere the peak is that of the process so far, which is at least as much."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1000)
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / 10**6  # type: ignore[index]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.vision.hostile", description=__doc__)
    parser.add_argument("--short", action="store_true", help="the form that the tests run")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--whole", action="store_true", help="look for kingdoms too, not only load")
    asked = parser.parse_args()
    if asked.child:
        _child(asked.child, asked.whole)
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, data in corpus(asked.short):
            (Path(folder) / name).write_bytes(data)
        results = tried(Path(folder), asked.whole)
    for outcome in sorted({str(one["outcome"]) for one in results}):
        print(f"{outcome:20} {sum(one['outcome'] == outcome for one in results)}")
    for what in ("seconds", "megabytes"):
        worst = max((one for one in results if what in one), key=lambda one: one[what])  # type: ignore[arg-type,return-value]
        print(f"most {what:15} {worst[what]:.2f} ({worst['name']})")
    for one in bad(results):
        print("BAD", one)
    raise SystemExit(bool(bad(results)))


if __name__ == "__main__":
    main()
