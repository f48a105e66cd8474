"""Unsure squares go by the sure ones that they resemble."""

from __future__ import annotations

import numpy as np
import pytest

from scorer.vision.likeness import UNLIKE, alike

WHEAT, GRASS, LAKE = range(3)
COLOURS = np.array([[220, 190, 60], [120, 190, 60], [40, 90, 180]])


def squares(terrains: list[int], light: tuple[float, float, float]) -> np.ndarray:
    """Plain fields with some noise, under a light."""
    noise = np.random.default_rng(0).normal(0, 6, (len(terrains), 32, 32, 3))
    return np.clip(COLOURS[terrains][:, None, None] * light + noise, 0, 255).astype(np.uint8)


def likely(answers: list[int], sure: list[float]) -> np.ndarray:
    rest = (1 - np.array(sure)) / 2
    return np.where(np.eye(3)[answers] > 0, np.array(sure)[:, None], rest[:, None])


def test_wheat_under_a_green_lamp_is_more_like_the_wheat_beside_it_than_like_grassland():
    shown = squares([WHEAT, WHEAT, GRASS, GRASS, WHEAT], (0.6, 1.0, 0.7))
    like = alike(shown, likely([WHEAT, WHEAT, GRASS, GRASS, GRASS], [0.99, 0.99, 0.99, 0.99, 0.6]))
    assert like[4].argmax() == WHEAT
    assert like[4, LAKE] == pytest.approx(-np.log(UNLIKE))


def test_sure_squares_are_left_as_they_are():
    shown = squares([WHEAT, GRASS, LAKE], (1.0, 1.0, 1.0))
    assert not alike(shown, likely([WHEAT, GRASS, LAKE], [0.99, 0.99, 0.99])).any()


def test_where_nothing_is_sure_nothing_is_said():
    like = alike(squares([WHEAT, GRASS], (1.0, 1.0, 1.0)), likely([WHEAT, GRASS], [0.6, 0.6]))
    assert (like == like[0, 0]).all()
