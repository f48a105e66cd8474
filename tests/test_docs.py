"""The documentation tells the truth: its code runs, its examples score as it says."""

import re
from pathlib import Path

import pytest

from scorer.pad import pad_text
from scorer.rules import parse, score
from scorer.rules.catalogue import RULINGS
from scorer.texts import translator

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", blocks(README, "python"))
def test_python_of_the_readme_runs(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


def test_the_readme_shows_the_pad_of_its_first_command() -> None:
    result = score(parse((ROOT / "samples" / "kingdoms" / "example-71.kingdom").read_text("utf-8")))
    assert blocks(README, "text")[0].startswith(pad_text(result, translator("en")))


def test_the_notation_page_shows_the_books_example() -> None:
    (text,) = blocks((ROOT / "docs" / "notation.md").read_text("utf-8"), "kingdom")
    assert score(parse(text)).players[0].total == 71


def test_every_switch_is_documented() -> None:
    rulings = (ROOT / "docs" / "rulings.md").read_text("utf-8")
    assert [name for name in RULINGS if f"`{name}`" not in rulings] == []
