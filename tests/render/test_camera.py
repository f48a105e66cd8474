"""The camera maps points and pictures alike."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scorer.render.camera import Camera


def camera(**changes: float) -> Camera:
    settings = {"tilt": 0.5, "turn": 0.3, "roll": 0.05, "lens": 0.04, **changes}
    return Camera(640, 480, 600.0, target=(1.0, 2.0), distance=9.0, centre=(320.0, 240.0), **settings)


def test_the_target_appears_at_the_centre():
    assert camera(lens=0.0).project(np.array([[1.0, 2.0]]))[0] == pytest.approx((320, 240))


def test_the_homography_of_a_height_agrees_with_the_points():
    view = camera(lens=0.0)
    points = np.random.default_rng(0).uniform(-3, 3, (20, 2))
    for height in (0.0, 0.4):
        by_plane = cv2.perspectiveTransform(points[None], view.plane(height))[0]
        np.testing.assert_allclose(by_plane, view.flat(np.column_stack([points, np.full(20, height)])), atol=1e-9)


def test_what_stands_leans_away_from_the_viewer_and_the_far_side_is_smaller():
    view = camera(lens=0.0, turn=0.0, roll=0.0)
    foot, head = view.project(np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 1.0]]))
    assert head[1] < foot[1]
    far, near = (np.ptp(view.project(np.array([[0.0, y], [2.0, y]]))[:, 0]) for y in (-1.0, 5.0))
    assert far < near


@pytest.mark.parametrize("lens", [-0.06, -0.02, 0.03, 0.08])
def test_the_lens_bends_points_and_pictures_alike(lens):
    view = camera(lens=lens)
    for spot in ((100.0, 80.0), (500.0, 400.0), (320.0, 240.0), (60.0, 420.0)):
        image = np.zeros((480, 640, 3), np.uint8)
        cv2.circle(image, (round(spot[0]), round(spot[1])), 4, (255, 255, 255), -1)
        bent = view.bend(image)[..., 0].astype(float)
        y, x = np.mgrid[0:480, 0:640]
        found = np.array([(x * bent).sum(), (y * bent).sum()]) / bent.sum()
        np.testing.assert_allclose(found, view.through_lens(np.array([spot]))[0], atol=0.6)


def test_aiming_fits_the_points_into_the_frame():
    rng = np.random.default_rng(4)
    points = rng.uniform(-6, 6, (10, 2))
    for tilt in (0.0, 0.4, 0.78):
        view = camera(tilt=tilt).aimed(points, square_pixels=200, margin=0.05, rng=rng)
        pixels = view.project(points)
        assert pixels.min() > 0.03 * 480
        assert (pixels < (640 - 0.03 * 480, 480 - 0.03 * 480)).all()
