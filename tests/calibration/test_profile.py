"""A profile as a file: it comes back as it was, and nothing else gets in."""

import json

import numpy as np
import pytest

from scorer.calibration.camera import Lens
from scorer.calibration.colour import Balance
from scorer.calibration.profile import MAX_BYTES, Example, Learnt, Profile, Trial, from_bytes, to_bytes
from scorer.calibration.store import EDITIONS
from scorer.errors import UnreadableInput

LESSON = np.linspace(-2, 2, 12, dtype=np.float32).reshape(4, 3)
WHOLE = Profile(
    "kitchen table",
    "by the lamp",
    ("orange", "white"),
    19,
    Balance(1.1, 1.0, 0.9),
    {"Maker Model 4.20 mm": Lens(0.8, 0.1, -0.02, 2.0, 0.3)},
    (Example("w1+knight", "ab12", "classify", b"\xff\xd8\xff"), Example("t:statue~", "ab12", "buildings", b"jpeg")),
    Learnt(
        {"classify": "c0ffee"}, {"classify": {"terrain": LESSON}}, (Trial("classify", "terrain", 25, 3, 1),), (3, 2)
    ),
)


def test_a_profile_comes_back_as_it_was() -> None:
    again = from_bytes(to_bytes(WHOLE), "file")
    assert to_bytes(again) == to_bytes(WHOLE)
    assert (again.name, again.castles, again.knights, again.balance) == (
        "kitchen table",
        ("orange", "white"),
        19,
        WHOLE.balance,
    )
    assert again.examples == WHOLE.examples
    assert again.lenses == WHOLE.lenses
    assert again.learnt
    assert again.learnt.trials == WHOLE.learnt.trials
    np.testing.assert_allclose(again.learnt.lessons["classify"]["terrain"], LESSON, atol=2e-3)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"format": "profile/2"}, "format"),
        ({"name": "../../etc/passwd"}, "name"),
        ({"castles": ["mauve"]}, "castles"),
        ({"knights": 1e9}, "knights"),
        ({"knights": True}, "knights"),
        ({"balance": {"red": 1.0, "green": float("nan"), "blue": 1.0}}, "finite"),
        ({"balance": {"red": 100.0, "green": 1.0, "blue": 1.0}}, "gain"),
        ({"balance": {"red": 1.0, "green": 1.0, "blue": 1.0, "infrared": 1.0}}, "infrared"),
        ({"lenses": {"x": {"focal": -1, "k1": 0, "k2": 0, "plain": 0, "error": 0}}}, "lens"),
        ({"examples": [{"cell": "z9", "photo": "", "network": "classify", "picture": ""}]}, "z9"),
        ({"examples": [{"cell": "w1", "photo": "", "network": "other", "picture": ""}]}, "other"),
        ({"examples": [{"cell": "w1", "photo": "", "network": "classify", "picture": "€"}]}, ""),
        ({"examples": [{"cell": "w1"}]}, "network"),
        ({"learnt": {"models": {}, "lessons": {"classify": {"terrain": {"shape": [9, 9], "float16": "AAA="}}}}}, ""),
    ],
)
def test_whatever_is_wrong_in_a_file_is_named(change: dict[str, object], word: str) -> None:
    form = json.loads(to_bytes(WHOLE)) | change
    with pytest.raises(UnreadableInput, match="not a profile") as caught:
        from_bytes(json.dumps(form).encode(), "kitchen.json")
    assert str(caught.value).startswith("kitchen.json: ")
    assert word in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_what_is_no_profile_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableInput, match=r"^x: not a profile"):
        from_bytes(data, "x")


def test_a_huge_file_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(UnreadableInput, match="32 MB"):
        from_bytes(b" " * (MAX_BYTES + 1), "x")


@pytest.mark.parametrize(("name", "knights"), [("queendomino", 22), ("queendomino-19", 19)])
def test_editions_as_the_rule_books_have_them(name: str, knights: int) -> None:
    profile = from_bytes((EDITIONS / f"{name}.json").read_bytes(), name)
    assert profile.name == name
    assert profile.castles == ("orange", "purple", "white", "red")
    assert profile.knights == knights
    assert profile.examples == ()
