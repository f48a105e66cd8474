"""Varied copies of a square stay squares of its kind."""

import numpy as np

from scorer.calibration.anchors import look
from scorer.calibration.varied import turned, varied
from scorer.installation import SAMPLE, SAMPLES
from scorer.vision.reading import read_photo
from scorer.vision.rectify import Image


def crops() -> Image:
    squares = read_photo(SAMPLES / f"{SAMPLE}.jpg").kingdoms[0].seen.squares
    return squares.reshape(-1, *squares.shape[2:])


def test_the_network_reads_copies_as_it_reads_their_square() -> None:
    rng = np.random.default_rng(0)
    known = crops()
    copies = np.stack([varied(crop, rng) for crop in known])
    assert copies.dtype == np.uint8
    assert (copies != known).mean() > 0.5
    alike = look("classify", copies)[1]["terrain"].argmax(1) == look("classify", known)[1]["terrain"].argmax(1)
    assert alike.mean() > 0.9


def test_a_square_turns_in_seven_other_ways() -> None:
    crop = np.arange(48, dtype=np.uint8).reshape(1, 4, 4, 3)
    ways = {other.tobytes() for other in turned(crop)}
    assert len(ways) == 7
    assert crop.tobytes() not in ways
