"""Teaching the built-in photo: notation and squares find each other, and what was learnt is applied."""

from dataclasses import replace

import numpy as np
import pytest

from scorer.calibration.anchors import SENSES, anchors
from scorer.calibration.applied import Applied
from scorer.calibration.colour import Balance
from scorer.calibration.profile import Learnt, Profile, Trial, from_bytes, to_bytes
from scorer.calibration.teaching import answers_of, is_current, learn, teach
from scorer.errors import UnreadableInput
from scorer.installation import SAMPLE, SAMPLES
from scorer.rules import parse
from scorer.rules.kingdom import Kingdom
from scorer.rules.notation import parse_square
from scorer.vision.classify import SIZE
from scorer.vision.pieces import HEADS, SIGNS
from scorer.vision.reading import Reading, read_photo

PHOTO = SAMPLES / f"{SAMPLE}.jpg"


@pytest.fixture(scope="module")
def true() -> Kingdom:
    (kingdom,) = parse((SAMPLES / f"{SAMPLE}.kingdom").read_text("utf-8"))
    return kingdom


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read_photo(PHOTO)


@pytest.fixture(scope="module")
def taught(reading: Reading, true: Kingdom) -> Profile:
    return teach(Profile("mine"), reading, [true])


def cells(profile: Profile) -> list[str]:
    return sorted(example.cell for example in profile.examples)


def test_every_square_becomes_an_example(taught: Profile, true: Kingdom) -> None:
    assert len(taught.examples) == len(true.rows) * len(true.rows[0])
    assert taught.learnt
    assert is_current(taught)
    assert {trial.head for trial in taught.learnt.trials} >= {"terrain", "crowns"}
    assert all(trial.before == trial.after == 0 for trial in taught.learnt.trials if trial.head == "terrain")


def test_notation_from_another_side_gives_the_same_pictures(taught: Profile, reading: Reading, true: Kingdom) -> None:
    turned = tuple(zip(*true.rows[::-1], strict=True))
    other = teach(Profile("mine"), reading, [replace(true, rows=turned)])
    assert {(e.cell, e.picture) for e in other.examples} == {(e.cell, e.picture) for e in taught.examples}


def test_the_same_photo_again_replaces_its_squares(taught: Profile, reading: Reading, true: Kingdom) -> None:
    corrected = tuple(tuple(parse_square("?") if s.castle else s for s in row) for row in true.rows)
    again = teach(taught, reading, [replace(true, rows=corrected)])
    assert len(again.examples) == len(taught.examples) - 1


def test_the_notation_of_another_kingdom_is_refused(reading: Reading) -> None:
    other = Kingdom.parse("rules: kingdomino\nplayer: Ada\n\nm1 m1 s2\nm3 C m1\ns1 s1 s1\n")
    with pytest.raises(UnreadableInput, match=r"^Ada: no kingdom in .* looks like this"):
        teach(Profile("mine"), reading, [other])


def test_a_profile_reads_the_photo_as_before(taught: Profile, reading: Reading) -> None:
    again = read_photo(PHOTO, profile=Applied(from_bytes(to_bytes(taught), "file")))
    assert again.kingdoms[0].grid == reading.kingdoms[0].grid


def lesson_against(profile: Profile, label: int, trial: Trial) -> Applied:
    """A profile with a lesson that makes everything one terrain."""
    assert profile.learnt
    size = next(iter(profile.learnt.lessons["classify"].values())).shape[0]
    rng = np.random.default_rng(0)
    lesson = np.zeros((size, 9), np.float32)
    lesson[:, label] = rng.normal(0, 1000, size)
    learnt = Learnt(profile.learnt.models, {"classify": {"terrain": lesson}}, (trial,))
    return Applied(replace(profile, learnt=learnt))


def test_a_lesson_that_fails_its_own_test_is_not_applied(taught: Profile) -> None:
    said = {
        "terrain": np.zeros((2, 9), np.float32),
        "crowns": np.zeros((2, 4), np.float32),
    }
    rng = np.random.default_rng(1)
    for name, sense in zip(SENSES["classify"], anchors("classify").senses, strict=True):
        said[name] = rng.random((2, len(sense.mean)), np.float32)
    crops = np.zeros((2, SIZE, SIZE, 3), np.uint8)
    worse = lesson_against(taught, 3, Trial("classify", "terrain", 25, 1, 2)).answers(said, crops)
    assert (worse["terrain"] == 0).all()
    better = lesson_against(taught, 3, Trial("classify", "terrain", 25, 2, 2)).answers(said, crops)
    assert (better["terrain"][:, 3] != 0).all()
    np.testing.assert_allclose(better["crowns"], 0, atol=1e-5)


def test_colours_that_hurt_are_not_applied(taught: Profile) -> None:
    dark = Balance(0.3, 0.3, 4.0)
    learnt = replace(taught, balance=dark, learnt=replace(taught.learnt, balance=(0, 9)))
    photo = read_photo(PHOTO).image
    np.testing.assert_array_equal(Applied(learnt).photo(photo).image, photo.image)
    good = replace(learnt, learnt=replace(taught.learnt, balance=(0, 0)))
    assert Applied(good).photo(photo).image[..., 2].mean() > photo.image[..., 2].mean()


def test_colours_are_tried_on_the_examples(taught: Profile) -> None:
    tried = learn(replace(taught, balance=Balance(1.02, 1.0, 1.0)))
    assert tried.learnt
    assert tried.learnt.balance == (0, 0)


@pytest.mark.parametrize(
    ("cell", "network", "expected"),
    [
        (".", "classify", {"terrain": 8}),
        ("C", "classify", {"terrain": 7}),
        ("w2", "classify", {"terrain": 0, "crowns": 2, "building": 0, "knight": 0}),
        ("t:statue~+tower*2", "classify", {"terrain": 6, "building": 2, "tower": 2}),
        ("g0+sheep", "classify", {"resource": HEADS["resource"].index("sheep")}),
        ("t:statue", "buildings", {"side": 0, "shield": SIGNS["shield"].index("5")}),
        ("t:statue~", "buildings", {"side": 1}),
    ],
)
def test_what_a_cell_answers(cell: str, network: str, expected: dict[str, int]) -> None:
    answers = answers_of(parse_square(cell), network)
    assert {head: answers[head] for head in expected} == expected
    if cell.startswith("t") and network == "classify":
        assert "crowns" not in answers
    if cell.endswith("~"):
        assert "shield" not in answers
