"""The photo is judged: size, light and blur, measured on rendered kingdoms whose truth is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scorer.render import Effects, Recipe, render
from scorer.vision.quality import GONE, blur, burnt, calmed, judge, light, square_width, window

CLEAN = Effects(
    gradient=0, shadow=0, cast=0, exposure=0, glare=0, defocus=0, motion=0, noise=0, jpeg=0, lens=0, strength=0.5
)
RECIPE = Recipe(
    photo_sizes=((800, 600),),
    kingdoms=(1, 1),
    filled=(0.7, 1.0),
    square_pixels=(60, 90),
    sizes=(5,),
    tilt=(0, 25),
    clutter=(0, 0),
    hand=0,
    effects=CLEAN,
)


@pytest.fixture(scope="module")
def kingdoms():
    """Windows of sharp kingdoms and the width of their squares."""
    scenes = [render(seed, recipe=RECIPE) for seed in range(4)]
    return [(window(s.image, s.kingdoms[0].corners), square_width(s.kingdoms[0].quads)) for s in scenes]


def test_a_good_photo_has_no_flaw(kingdoms):
    for image, width in kingdoms:
        assert judge(image, width) == ()


def test_small_squares_ask_to_step_closer(kingdoms):
    image, width = kingdoms[0]
    small = cv2.resize(image, None, fx=14 / width, fy=14 / width, interpolation=cv2.INTER_AREA)
    assert str(judge(small, 14.0)[0].message) == "squares are only 14 pixels wide: step closer"


def test_the_message_counts_the_pixels_of_the_whole_photo(kingdoms):
    image, _ = kingdoms[0]
    assert all(flaw.code != "too_small" for flaw in judge(image, 14.0, scale=0.5))


@pytest.mark.parametrize("true_blur", [0.06, 0.08, 0.1])
@pytest.mark.parametrize("noise", [0, 6])
def test_blur_is_measured_in_squares_whatever_the_noise(kingdoms, true_blur, noise):
    for image, width in kingdoms:
        soft = cv2.GaussianBlur(image, (0, 0), true_blur * width)
        grain = np.random.default_rng(0).normal(0, noise, image.shape)
        found = blur(np.clip(soft + grain, 0, 255).astype(np.uint8), width)
        assert true_blur - 0.04 < found < true_blur + 0.02


def test_blur_grows_with_the_blur_and_not_with_the_resolution(kingdoms):
    image, width = kingdoms[1]
    measured = [blur(cv2.GaussianBlur(image, (0, 0), s * width), width) for s in (0.02, 0.05, 0.08, 0.12)]
    assert measured == sorted(measured)
    soft = cv2.GaussianBlur(image, (0, 0), 0.08 * width)
    twice = cv2.resize(soft, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    assert blur(twice, 2 * width) == pytest.approx(blur(soft, width), abs=0.01)


@pytest.mark.parametrize("turned", [False, True])
def test_motion_blur_is_seen_although_edges_along_it_stay_sharp(kingdoms, turned):
    for image, width in kingdoms:
        length = 2 * int(0.2 * width) + 1
        trail = np.full((length, 1) if turned else (1, length), 1 / length, np.float32)
        assert "blurred" in [flaw.code for flaw in judge(cv2.filter2D(image, -1, trail), width)]


def test_a_blurred_photo_is_called_blurred(kingdoms):
    for image, width in kingdoms:
        soft = cv2.GaussianBlur(image, (0, 0), 0.1 * width)
        assert [flaw.code for flaw in judge(soft, width)] == ["blurred"]


def test_nothing_but_grey_is_blurred_beyond_measure():
    assert blur(np.full((90, 120, 3), 128, np.uint8), 30) == GONE
    assert blur(np.full((1, 1, 3), 128, np.uint8), 500) == GONE


def test_dark_and_washed_out_photos_are_named(kingdoms):
    image, width = kingdoms[2]
    assert [f.code for f in judge((image * 0.1).astype(np.uint8), width)] == ["dark"]
    white = np.clip(image.astype(int) + 215, 0, 255).astype(np.uint8)
    assert "washed_out" in [f.code for f in judge(white, width)]
    assert light(np.full((8, 8, 3), 255, np.uint8)) == 1.0
    assert burnt(np.full((8, 8, 3), 255, np.uint8)) == 1.0


def test_square_width_is_the_root_of_the_area_and_ignores_places_without_a_tile():
    square = np.array([(0, 0), (20, 0), (20, 20), (0, 20)], np.float32)
    flat = square * (1.0, 0.25)
    assert square_width(square[None]) == pytest.approx(20)
    assert square_width(np.stack([flat, flat, np.full((4, 2), np.nan)])) == pytest.approx(10)
    assert square_width(np.full((1, 4, 2), np.nan)) == 0.0


def test_the_window_stays_inside_the_frame():
    image = np.zeros((40, 60, 3), np.uint8)
    assert window(image, np.array([(-9, -5), (30.5, 8), (20, 90)])).shape == (40, 32, 3)
    assert window(image, np.array([(100, 100), (120, 110)])).size > 0


def test_only_a_photo_that_is_noisy_all_over_is_smoothed() -> None:
    rng = np.random.default_rng(1)
    even = np.full((300, 400, 3), 120, np.uint8)
    noisy = (even + rng.normal(0, 12, even.shape)).clip(0, 255).astype(np.uint8)
    assert calmed(even) is even
    assert calmed(noisy).std() < noisy.std() / 3
    speckled = even.copy()
    speckled[:, :200] = noisy[:, :200]
    assert calmed(speckled) is speckled
