"""The documentation tells the truth: its commands run, its code works, its examples are what comes out.

Every block of the README and of `docs` is run, or a comment before it says why not. The commands of a page run one
after the other in a folder of its own, with the files that the page speaks of.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from scorer.batch.sheet import read_sheets
from scorer.cli import COMMANDS, main
from scorer.pads.files import parse_pad
from scorer.rules import parse, score
from scorer.rules.catalogue import RULINGS
from tests.rules.test_known import check, expectations

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?:^<!-- not run: ([^>]+) -->\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
DONE = (0, 1)
"""1: done, and the answer is no."""
DRAWINGS = ("mermaid",)


@dataclass(frozen=True)
class Block:
    page: Path
    language: str
    text: str
    why_not: str


BLOCKS = [
    Block(page, language, text, why_not)
    for page in PAGES
    for why_not, language, text in BLOCK.findall(page.read_text("utf-8"))
]


def blocks(page: str, *languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.page.name == page and block.language in languages]


def commands(block: Block) -> list[str]:
    lines = block.text.replace("\\\n", "").splitlines()
    if block is BLOCKS[0]:  # its first part installs what is tested here
        lines = [lines[0].split("&&")[-1].replace(".venv/bin/", "")]
    return [line for line in lines if line.strip()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of, in which `scorer` is the one of this tree."""
    programs = tmp_path / "programs"
    programs.mkdir()
    python = f'#!/bin/sh\nexec "{sys.executable}" '
    for name, script in {
        "scorer": python + '-c "from scorer.cli import main; main(prog_name=\'scorer\')" "$@"',
        "python": python + '"$@"',
        "python3": python + '"$@"',
        "editor": "#!/bin/sh",
    }.items():
        (programs / name).write_text(script + "\n")
        (programs / name).chmod(0o755)
    here = tmp_path / "here"
    shutil.copytree(ROOT / "benchmarks", here / "benchmarks")  # it writes its tables
    shutil.copy(ROOT / "README.md", here)
    for name in ("samples", "scorer", "models", "tests", "pyproject.toml"):
        (here / name).symlink_to(ROOT / name)
    samples = ROOT / "samples"
    (here / "photos").mkdir()
    for name in ("table.jpg", "other.jpg", "photos/ada.jpg", "photos/bob.jpg"):
        shutil.copy(samples / "photos" / "kingdomino.jpg", here / name)
    shutil.copy(samples / "kingdoms" / "four-players.kingdom", here / "table.kingdom")
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.chdir(here)
    for name, value in {"PATH": path, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "LANGUAGE": "en"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SCORER_PROFILES", str(tmp_path / "profiles"))
    pad = subprocess.run(["scorer", "score", "table.kingdom", "--csv"], capture_output=True, text=True, check=True)
    (here / "pad.csv").write_text(pad.stdout.replace("buildings,3,10", "buildings,3,7"))
    return here


def run(command: str) -> str:
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300)
    said = ran.stdout + ran.stderr
    assert ran.returncode in DONE, f"{command}: {ran.returncode}\n{said}"
    assert "Traceback" not in said, f"{command}\n{said}"
    return said


@pytest.mark.skipif(sys.platform == "win32", reason="the pages speak to a POSIX shell")
@pytest.mark.parametrize("page", sorted({b.page.name for b in BLOCKS if b.language == "sh" and not b.why_not}))
def test_the_commands_of_a_page_run_and_say_what_it_shows(page: str, folder: Path) -> None:
    for sheet in blocks(page, "csv", "toml"):
        if sheet.text.startswith(("photo,", "[[game]]")):
            (folder / "photos" / f"games.{sheet.language}").write_text(sheet.text)
            assert read_sheets(folder / "photos", [f"games.{sheet.language}"])
            if sheet.language == "toml":  # says the same again
                (folder / "photos" / "games.toml").unlink()
    # The second block of the README starts these very tests.
    chosen = [block for block in blocks(page, "sh") if not block.why_not and block is not blocks("README.md", "sh")[1]]
    said = "".join(run(command) for block in chosen for command in commands(block))
    for shown in blocks(page, "text"):
        assert shown.text in said


@pytest.mark.parametrize("page", sorted({block.page.name for block in BLOCKS if block.language == "python"}))
def test_the_code_of_a_page_runs(page: str, folder: Path) -> None:
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block.text, page, "exec"), names)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "kingdom"], ids=lambda block: block.page.name)
def test_kingdoms_are_worth_what_they_say(block: Block) -> None:
    result = score(parse(block.text))
    assert not [problem for player in result.players for problem in player.problems]
    for expectation in expectations(block.text):
        check(expectation, result)


def test_the_notation_page_shows_the_books_example() -> None:
    (block,) = blocks("notation.md", "kingdom")
    assert score(parse(block.text)).players[0].total == 71


def test_the_pad_that_is_shown_can_be_read() -> None:
    (block,) = blocks("pads.md", "csv")
    assert set(parse_pad(block.text.encode()).players) == {"White", "Red"}


def test_translations_that_are_shown_are_those_that_are_used() -> None:
    (block,) = blocks("translating.md", "po")
    used = (ROOT / "scorer" / "locale" / "fr" / "LC_MESSAGES" / "scorer.po").read_text("utf-8")
    pairs = re.findall(r'msgid "[^"]+"\nmsgstr "[^"]+"', block.text)
    assert len(pairs) == 2
    assert [pair for pair in pairs if pair not in used] == []


CHECKED: dict[str, Callable[[Block], bool]] = {
    "sh": lambda block: True,
    "python": lambda block: True,
    "kingdom": lambda block: True,
    "text": lambda block: bool(blocks(block.page.name, "sh")),
    "csv": lambda block: block.page.name in ("folders.md", "pads.md"),
    "toml": lambda block: block.page.name == "folders.md",
    "po": lambda block: block.page.name == "translating.md",
}
"""Whether a test above looks at a block."""


def test_no_block_goes_unchecked() -> None:
    loose = [b for b in BLOCKS if b.language not in DRAWINGS and not b.why_not and not CHECKED.get(b.language, bool)(b)]
    assert [(block.page.name, block.language, block.text) for block in loose] == []


def test_only_commands_are_left_out_and_each_for_a_reason() -> None:
    assert {block.language for block in BLOCKS if block.why_not} <= {"sh"}
    assert all(len(block.why_not.split()) >= 3 for block in BLOCKS if block.why_not)


def test_the_first_two_blocks_are_the_newcomers_commands() -> None:
    first, second = blocks("README.md", "sh")[:2]
    assert first is BLOCKS[0]
    assert ".venv/bin/scorer" in first.text
    assert ".venv/bin/pytest" in second.text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)|src=\"([^\"]+)\"", page.read_text("utf-8"))
    files = [link or source for link, source in targets if "://" not in link + source]
    assert [file for file in files if not (page.parent / file).exists()] == []


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"`scorer {name}" not in readme] == []


def options(command: click.Command) -> set[str]:
    """What a command and those below it can be told: `-o`, or the long name."""
    context = click.Context(command)
    below = (
        [command.get_command(context, name) for name in command.list_commands(context)]
        if isinstance(command, click.Group)
        else []
    )
    own = {min(option.opts, key=len) for option in command.params if isinstance(option, click.Option)}
    return own.union(*(options(one) for one in below if one))


def test_every_option_is_documented() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert sorted(option for option in options(main) if f"`{option}" not in text and f" {option}" not in text) == []


def test_every_switch_is_documented() -> None:
    rulings = (ROOT / "docs" / "rulings.md").read_text("utf-8")
    assert [name for name in RULINGS if f"`{name}`" not in rulings] == []
