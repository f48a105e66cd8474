"""A folder that somebody made to break things: every bad file is named, every good one is read."""

import csv
import io
import os
import stat
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.batch.runs import files, read_folder, results
from tests.vision.hostile import png, zeros

NAMES = ["line\nbreak", "\u202egpj.table", "=1+1", "-rf", " ", "#", "a" * 251, "\x1b[31mred", "C:\\x", "'\"<>&"]


def blank(kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (640, 480), (90, 120, 90)).save(out, kind)
    return out.getvalue()


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")
def test_a_hostile_folder(tmp_path: Path, rendered: list[bytes]) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    good: dict[bytes, bytes] = {os.fsencode(f"{name}.jpg"): rendered[i % 6] for i, name in enumerate(NAMES)}
    good |= {b"\xff\xfe.jpg": rendered[0], b"jpeg.png": rendered[1]}
    bad: dict[bytes, bytes] = {
        b"cut.jpg": rendered[0][: len(rendered[0]) // 2],
        b"empty.jpg": b"",
        b"text.jpg": b"Dear sir",
        b"page.jpg": b"<html>",
        b"elf.jpg": b"\x7fELF" + bytes(1000),
        b"bomb.png": png(60_000, 60_000, zeros(9999)),
        b"tall.png": png(1, 2**31 - 1, zeros(9999)),
        b"picture.gif": blank("GIF"),
        b"picture.bmp": blank("BMP"),
        b"table.png": blank("PNG"),
        b"noise.heic": b"\0\0\0\x20ftypheic" + bytes(range(256)) * 20,
        b"two\nlines.jpg": b"\xff\xd8\xff\xe0" + bytes(50),
        "\u202egpj.cod.jpg".encode(): b"\xff\xd8\xff",
        b"\xfe\xff.webp": b"RIFF\xff\xff\xff\xffWEBPVP8 ",
    }
    for name, data in (good | bad).items():
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(data)
    (folder / "circle.jpg").symlink_to("circle.jpg")
    (folder / "ping.jpg").symlink_to("pong.jpg")
    (folder / "pong.jpg").symlink_to("ping.jpg")
    (folder / "broken.jpg").symlink_to("nowhere")
    (folder / "up").symlink_to(".")
    (folder / "device.jpg").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.jpg")
    troubles = 7
    if os.geteuid() != 0:  # root reads everything
        (folder / "secret.jpg").write_bytes(rendered[0])
        (folder / "secret.jpg").chmod(0)
        (folder / "closed").mkdir(mode=0)
        troubles += 2
    before = {name: os.lstat(folder / name) for name in os.listdir(folder)}
    out = tmp_path / "out"
    summary = read_folder(folder, out)
    forms = results(out)
    assert (summary.photos, summary.failed) == (len(good) + len(bad) + troubles, len(bad) + troubles)
    assert sum(form["status"] != "failed" for form in forms) == len(good)
    with (out / "failed.csv").open(newline="", encoding="utf-8") as file:
        failed = list(csv.DictReader(file))
    named = {row["source"] for row in failed}
    assert {name.decode("utf-8", "backslashreplace") for name in bad} <= named
    assert {"circle.jpg", "ping.jpg", "pong.jpg", "broken.jpg", "up", "device.jpg", "pipe.jpg"} <= named
    for row in failed:
        assert row["message"].isprintable()
        assert "Traceback" not in row["message"]
        assert "an error of the program" not in row["message"]
    for name in good:
        text = name.decode("utf-8", "backslashreplace")
        (form,) = [form for form in forms if form["source"] == text]
        assert form["status"] in ("ok", "doubtful")
    page = (out / "report.html").read_text("utf-8")
    assert "\u202e" not in page
    assert "\x1b" not in page
    after = {name: os.lstat(folder / name) for name in os.listdir(folder)}
    assert {name: about[:7] + about[8:] for name, about in after.items()} == {
        name: about[:7] + about[8:] for name, about in before.items()
    }, "the input was touched"
    assert not [name for name in files(out) if name.endswith(".new")]
    assert stat.S_ISFIFO(os.lstat(folder / "pipe.jpg").st_mode)
    assert read_folder(folder, out).read == 0
