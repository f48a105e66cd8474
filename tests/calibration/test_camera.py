"""A lens measured from pictures of the board through a known one, and taken out of photos."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from scorer.calibration.board import board_pdf
from scorer.calibration.camera import SQUARES, Lens, board, corners_of, measure, straighten
from scorer.errors import UnreadableInput
from scorer.vision.load import Photo

BARREL = Lens(0.85, -0.25, 0.06, 1.0, 0.1)
WIDE, HIGH = 960, 720
POSES = ((0.0, 0.0, 0.0, 13.0), (0.35, 0.1, 0.2, 12.5), (-0.3, 0.25, -0.3, 12.5), (0.1, -0.4, 1.4, 12.0))
"""Turns of the board around three axes, and its distance in squares."""


def photographed(lens: Lens, pose: tuple[float, float, float, float], size: tuple[int, int] = (WIDE, HIGH)) -> Photo:
    """The board as a camera with this lens takes it."""
    pixels = 60
    face = board().generateImage((SQUARES[0] * pixels, SQUARES[1] * pixels))
    width, height = size
    matrix, terms = lens.matrices(width, height)
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1).reshape(-1, 1, 2).astype(np.float64)
    rays = cv2.undistortPoints(grid, matrix, terms).reshape(-1, 2)
    turn = cv2.Rodrigues(np.array(pose[:3]))[0]
    plane = np.c_[turn[:, :2], (0, 0, pose[3])]
    at = np.c_[rays, np.ones(len(rays))] @ np.linalg.inv(plane).T
    on_board = ((at[:, :2] / at[:, 2:] + np.array(SQUARES) / 2) * pixels).astype(np.float32).reshape(height, width, 2)
    grey = cv2.remap(face, on_board[..., 0], on_board[..., 1], cv2.INTER_LINEAR, borderValue=255)
    return Photo(np.repeat(grey[..., None], 3, 2), width, height, 1.0, "JPEG", camera="Maker Model")


@pytest.fixture(scope="module")
def photos() -> list[Photo]:
    return [photographed(BARREL, pose) for pose in POSES]


def test_the_lens_is_found(photos: list[Photo]) -> None:
    lens = measure(photos, "board.jpg")
    assert lens.focal == pytest.approx(BARREL.focal, rel=0.02)
    assert lens.k1 == pytest.approx(BARREL.k1, abs=0.03)
    assert lens.helps
    assert lens.error < 0.3 * lens.plain


def test_turned_photos_measure_the_same_lens(photos: list[Photo]) -> None:
    upright = [replace(p, image=np.ascontiguousarray(np.rot90(p.image)), width=HIGH, height=WIDE) for p in photos]
    one, other = measure(photos, "a"), measure(upright, "b")
    assert one.focal == pytest.approx(other.focal, rel=0.01)
    assert one.k1 == pytest.approx(other.k1, abs=0.02)


def test_a_straightened_board_has_straight_lines(photos: list[Photo]) -> None:
    for photo in photos:
        errors = []
        for image in (photo.image, straighten(photo, BARREL).image):
            known, seen = corners_of(image)
            matrix, _ = cv2.findHomography(known, seen)
            off = cv2.perspectiveTransform(known[:, None], matrix)[:, 0] - seen
            errors.append(float(np.sqrt((off**2).sum(1).mean())))
        assert errors[1] < 0.5 * errors[0] + 0.1


def test_points_of_a_straightened_photo_are_those_of_the_photo() -> None:
    photo = Photo(np.zeros((HIGH, WIDE, 3), np.uint8), 2 * WIDE, 2 * HIGH, 0.5, "JPEG")
    straight = straighten(photo, BARREL)
    points = np.array([[30.0, 40.0], [480.0, 360.0], [900.0, 700.0]])
    there = straight.to_photo(points)
    assert np.abs(there - photo.to_photo(points)).max() > 5
    np.testing.assert_allclose(straight.from_photo(there), points, atol=0.05)
    assert straight.from_photo(there).shape == points.shape


def test_photos_without_the_board_are_refused(photos: list[Photo]) -> None:
    with pytest.raises(UnreadableInput, match=r"^x: the board was seen in 2 photos"):
        measure([*photos[:2], replace(photos[0], image=np.zeros_like(photos[0].image))], "x")


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_board_prints_the_same_every_time(paper: str) -> None:
    assert board_pdf(paper) == board_pdf(paper)
    assert board_pdf(paper).startswith(b"%PDF")
