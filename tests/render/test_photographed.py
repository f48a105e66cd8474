"""The photographed sources keep to the committed splits. Most of this needs the photographs (SCORER_DATA)."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scorer.render import PhotographedTables, PhotographedTiles, Recipe, render
from scorer.render.photographed import building_crops, square_sheets, whole_dominoes
from scorer.render.splits import SplitError, data_folder, labels, split

DATA = data_folder()
needs_data = pytest.mark.skipif(DATA is None, reason="SCORER_DATA does not name the folder of photographs")

NAMES = (
    "boards",
    "boards_loose",
    "squares",
    "textures",
    "dominoes",
    "photos",
    "queendomino_photos",
    "queendomino_crops",
)


@pytest.mark.parametrize("name", NAMES)
def test_no_group_is_in_two_parts(name):
    groups = split(name).groups
    assert not groups["train"] & groups["test"]
    assert not groups["train"] & groups["validation"]
    assert not groups["validation"] & groups["test"]


def test_what_is_held_out():
    assert split("boards").groups["test"] == split("boards_loose").groups["test"] == {"5", "6"}
    assert len(split("squares").groups["test"]) >= 4
    assert len(split("squares").groups["validation"]) == 2
    assert not split("photos").groups["train"]
    assert split("queendomino_photos").groups["test"] == {"16.jpg", "17.jpg", "18.jpg", "24.jpg"}
    assert not any("__p16" in name or "__p24" in name for name in split("queendomino_crops").groups["train"])
    textures = split("textures").groups
    assert 0.2 < len(textures["test"]) / (len(textures["test"]) + len(textures["train"])) < 0.3


def test_other_labels_than_those_split_are_refused(tmp_path):
    (tmp_path / "boards.json").write_text(json.dumps({"1.jpg": {"game": 1, "grid": []}}))
    with pytest.raises(SplitError, match="make the splits anew"):
        labels(tmp_path, "boards", "train")


@needs_data
def test_train_and_test_share_no_picture():
    files = {
        part: {c.file for sheet in square_sheets(DATA, part) for found in sheet.values() for c in found}
        for part in ("train", "validation", "test")
    }
    assert files["train"]
    assert files["test"]
    assert not files["train"] & files["test"]
    assert not files["train"] & files["validation"]
    dominoes, castles = whole_dominoes(DATA, "train")
    assert sum(len(found) for found in dominoes.values()) == 48
    assert set(castles) == set("bgry")
    assert whole_dominoes(DATA, "test") == ({}, {})


@needs_data
def test_building_pictures_can_be_held_out():
    every = building_crops(DATA, "train", frozenset())
    fewer = building_crops(DATA, "train", frozenset({"8", "20"}))
    assert ("bakery", False) in every
    assert ("bakery", False) not in fewer
    assert ("safe_of_knights", False) in fewer


@needs_data
@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_scenes_of_photographed_material_render(part):
    tables = PhotographedTables(DATA, "train" if part == "validation" else part)
    recipe = Recipe(photo_sizes=((640, 480),), tiles=PhotographedTiles(DATA, part), tables=tables)
    scenes = [render(seed, recipe=recipe) for seed in range(3)]
    assert all(scene.image.shape == (480, 640, 3) for scene in scenes)
    assert scenes[0].image.tobytes() == render(0, recipe=recipe).image.tobytes()


@needs_data
def test_tables_fill_any_size():
    rng = np.random.default_rng(0)
    for size in (64, 700, 2048):
        assert PhotographedTables(DATA).table(size, rng).shape == (size, size, 3)
