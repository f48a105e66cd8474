"""Why a square is doubtful: the reason is measured from what the photo shows of it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scorer.rules.message import msg
from scorer.texts import LANGUAGES, translator
from scorer.vision.classify import MARGIN, SIZE
from scorer.vision.decode import DecodedKingdom
from scorer.vision.doubts import LEAST_BEYOND, SURE, SURE_BEHIND, doubts_of, reason, worth_another_photo
from scorer.vision.pieces import HEADS
from scorer.vision.quality import judge, window

SIDE = 60
RNG = np.random.default_rng(3)


def shown(spoil: Any = None, corner: tuple[float, float] = (100, 100)) -> Any:
    """A kingdom of two rows and three columns of noise, as it would be seen; `spoil` changes the photo."""
    photo = RNG.integers(40, 200, (400, 500, 3)).astype(np.uint8)
    if spoil:
        spoil(photo)
    x, y = corner
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * SIDE
    quads = np.array([[unit + np.array([x + c * SIDE, y + r * SIDE]) for c in range(3)] for r in range(2)], np.float32)
    corners = np.array([quads[0, 0, 0], quads[0, -1, 1], quads[-1, -1, 2], quads[-1, 0, 3]])
    border = round(SIZE * MARGIN / (1 + 2 * MARGIN))
    padded = np.pad(photo, ((100, 100), (100, 100), (0, 0)))
    squares = np.zeros((2, 3, SIZE, SIZE, 3), np.uint8)
    for r in range(2):
        for c in range(3):
            left, top = (int(value) + 100 - border for value in quads[r, c, 0])
            squares[r, c] = padded[top : top + SIZE, left : left + SIZE]
    lattice = SimpleNamespace(quads=quads, corners=corners, rows=2, columns=3, beyond=0.0)
    flaws = judge(window(photo, corners), SIDE)
    return SimpleNamespace(photo=SimpleNamespace(image=photo), lattice=lattice, squares=squares, said={}, flaws=flaws)


def read(**changes: Any) -> DecodedKingdom:
    labels = (("w0", "f0", "l0"), ("g0", "C", "."))
    other = (("w1", "w0", "l1"), (".", "l0", "w0"))
    confidence = np.full((2, 3), 0.99, np.float32)
    usual = {"labels": labels, "plain": labels, "other": other, "confidence": confidence, "sure": 0.9}
    return DecodedKingdom(**usual | changes)


def glare(photo: np.ndarray) -> None:
    photo[100:130, 100:130] = 255


def dark(photo: np.ndarray) -> None:
    photo //= 8


def even(photo: np.ndarray) -> None:
    photo[:] = photo.mean(axis=(0, 1))


@pytest.mark.parametrize(("knights", "least"), [*enumerate(SURE_BEHIND, 1)])
def test_what_pieces_may_hide_is_a_doubt_the_sooner_the_more_they_are(knights: int, least: float) -> None:
    nearly = np.full((2, 3), ((SURE, *SURE_BEHIND)[knights - 1] + least) / 2, np.float32)
    seen, kingdom = shown(), read(by_box=True, confidence=nearly)
    assert doubts_of(seen, kingdom) == ()
    pieces = np.zeros((6, sum(map(len, HEADS.values()))), np.float32)
    none = np.cumsum([0, *map(len, HEADS.values())])[:-1]
    pieces[:, none] = 9
    pieces[2, none[list(HEADS).index("knight")] + knights] = 18
    seen.said["pieces"] = pieces
    assert [doubt.square for doubt in doubts_of(seen, kingdom)] == [(0, 2)]


def test_a_tile_that_may_lie_beyond_the_grid_is_a_doubt_without_a_square() -> None:
    seen = shown()
    seen.lattice.beyond = 2 * LEAST_BEYOND
    (doubt,) = doubts_of(seen, read(by_box=True))
    assert (doubt.code, doubt.square, doubt.read) == ("beyond", None, "")


@pytest.mark.parametrize(
    ("spoil", "corner", "place", "why"),
    [
        (None, (100, 100), (0, 0), "crown"),
        (None, (100, 100), (0, 1), "castle"),
        (None, (100, 100), (1, 0), "empty"),
        (None, (100, 100), (1, 1), "alike"),
        (glare, (100, 100), (0, 0), "glare"),
        (glare, (100, 100), (1, 1), "alike"),
        (dark, (100, 100), (0, 0), "dark"),
        (even, (100, 100), (0, 0), "blurred"),
        (None, (-20, 100), (0, 0), "edge"),
        (None, (-20, 100), (0, 2), "crown"),
    ],
)
def test_the_reason_is_what_the_photo_shows(spoil: Any, corner: Any, place: tuple[int, int], why: str) -> None:
    seen, kingdom = shown(spoil, corner), read(by_box=True)
    assert reason(seen, kingdom, place) == why


def test_what_the_box_overruled_says_so() -> None:
    plain = (("w0", "f0", "l0"), ("g0", "l0", "."))
    kingdom = read(by_box=True, plain=plain)
    assert reason(shown(), kingdom, (1, 1)) == "box"
    odd = read(by_box=False, odd=frozenset({(1, 1)}))
    (doubt,) = doubts_of(shown(), odd)
    assert (doubt.code, doubt.square, doubt.read, doubt.alternatives) == ("box", (1, 1), "C", ("l0",))


def test_only_unsure_squares_are_doubted() -> None:
    confidence = np.array([[0.99, SURE + 0.001, 0.2], [1, 1, 0.5]], np.float32)
    doubts = doubts_of(shown(), read(by_box=True, confidence=confidence))
    assert [doubt.square for doubt in doubts] == [(0, 2), (1, 2)]
    assert doubts[0].confidence == pytest.approx(0.2)
    assert worth_another_photo(doubts, 2, 3) == msg("top right")
    assert worth_another_photo(doubts[1:], 2, 3) is None


def test_a_kingdom_that_the_photo_cuts_is_doubtful_however_sure() -> None:
    doubts = doubts_of(shown(corner=(-20, 100)), read(by_box=True))
    assert {(doubt.code, doubt.square) for doubt in doubts} == {("edge", (0, 0)), ("edge", (1, 0))}


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_are_said_in_every_language(language: str) -> None:
    (doubt,) = doubts_of(shown(glare), read(by_box=True, confidence=np.array([[0.5, 1, 1], [1, 1, 1]], np.float32)))
    said = translator(language)(doubt.text)
    assert "0,0" in said
    assert (said == doubt.why) == (language == "en")
