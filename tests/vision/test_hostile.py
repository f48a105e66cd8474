"""Pictures made to break a photo loader: every one a result or a named error, at a bounded cost."""

import sys
from pathlib import Path

import pytest

from tests.vision.hostile import ERRORS, RESULT, bad, corpus, odd_shapes, tried


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is told by Linux's /proc")
def test_every_hostile_picture_is_a_result_or_a_named_error(tmp_path: Path) -> None:
    made = dict(corpus(short=True))
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    results = tried(tmp_path, whole=False)
    assert [one["name"] for one in results] == sorted(made)
    assert bad(results) == []
    outcomes = {str(one["name"]): one["outcome"] for one in results}
    assert {outcomes[name] for name in outcomes if name.startswith("bomb")} == {RESULT, "UnreadableInput"}
    assert outcomes["bomb.png"] == outcomes["bomb.jpg"] == outcomes["bomb.webp"] == outcomes["bomb.heic"] == ERRORS[0]


def test_kingdoms_are_looked_for_in_pictures_of_any_shape(tmp_path: Path) -> None:
    for name, data in odd_shapes():
        (tmp_path / name).write_bytes(data)
    assert bad(tried(tmp_path, whole=True)) == []
