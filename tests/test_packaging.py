"""What is shipped: the wheel holds what it needs, and asks for the packages that the code imports, no more, no less."""

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scorer.vision.models import CHECKSUMS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCK = [line for line in (ROOT / "requirements-dev.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
IMPORTED_AS = {"cv2": "opencv-python-headless", "fpdf": "fpdf2", "PIL": "pillow", "pillow_heif": "pillow-heif"}
OURS = {"scorer", "models", "benchmarks"}
DEVELOPERS = {"babel"}
"""Of `scorer.locale.extract`, which only translators run, from the repository."""


def imported(*folders: str) -> set[str]:
    """Distributions that the modules below folders import, at their top or later."""
    names = set()
    for module in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names.add((node.module or "").split(".")[0])
    return {IMPORTED_AS.get(name, name) for name in names - set(sys.stdlib_module_names) - OURS}


def asked(requirements: list[str]) -> set[str]:
    return {Requirement(line).name for line in requirements}


def test_every_import_of_the_package_is_asked_for_and_nothing_else() -> None:
    assert imported("scorer") - DEVELOPERS == asked(PROJECT["dependencies"]) | asked(EXTRAS["cluster"])


def test_training_asks_for_what_it_imports_and_nothing_else() -> None:
    assert imported("models/train") - asked(PROJECT["dependencies"]) == asked(EXTRAS["train"])


def test_there_are_two_extras() -> None:
    assert set(EXTRAS) == {"train", "cluster"}


@pytest.mark.parametrize("line", [*PROJECT["dependencies"], *EXTRAS["train"], *EXTRAS["cluster"]])
def test_every_requirement_has_a_lower_and_an_upper_bound(line: str) -> None:
    assert {spec.operator for spec in Requirement(line).specifier} == {">=", "<"}


def test_the_lock_is_nothing_but_pins() -> None:
    assert [line for line in LOCK if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


def test_the_lock_keeps_to_the_bounds() -> None:
    pinned = {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in LOCK}
    for line in [*PROJECT["dependencies"], *EXTRAS["cluster"]]:
        requirement = Requirement(line)
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), line


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> list[str]:
    (file,) = built.glob("*.whl")
    return zipfile.ZipFile(file).namelist()


def test_the_wheel_holds_the_package_with_its_models_and_the_photo_to_check_them(wheel: list[str]) -> None:
    files = [path.relative_to(ROOT) for path in (ROOT / "scorer").rglob("*.*") if path.is_file()]
    wanted = {path.as_posix() for path in files if "__pycache__" not in path.parts}
    wanted |= {f"scorer/models/{name}.onnx" for name in CHECKSUMS} | {"scorer/models/anchors.npz"}
    wanted |= {f"scorer/samples/kingdomino.{kind}" for kind in ("jpg", "kingdom")}
    assert wanted - set(wheel) == set()


def test_the_wheel_holds_nothing_else_than_the_package(wheel: list[str]) -> None:
    assert {name.split("/")[0] for name in wheel if ".dist-info/" not in name} == {"scorer"}


def test_the_source_archive_holds_what_builds_and_tests_the_package(built: Path) -> None:
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {f"models/{name}.onnx" for name in CHECKSUMS} <= names
    assert {"pyproject.toml", "README.md", "tests/test_packaging.py", "models/splits/boards.json"} <= names
    assert not {name.split("/")[0] for name in names} & {"runs", "build", ".ci", ".venv"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_click_completes_commands_and_options(shell: str) -> None:
    command = [sys.executable, "-c", "from scorer.cli import main; main(prog_name='scorer')"]

    def complete(words: str, last: str) -> str:
        # bash and zsh tell the number of the last word, fish the word itself.
        number = str(len(words.split()) - bool(last))
        told = {"COMP_WORDS": words, "COMP_CWORD": last if shell == "fish" else number}
        environment = {**os.environ, **told, "_SCORER_COMPLETE": f"{shell}_complete"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert "calibrate" in complete("scorer ca", "ca")
    assert "--annotate" in complete("scorer read --an", "--an")


def test_every_package_is_listed_with_its_licence() -> None:
    listed = (ROOT / "docs" / "licences.md").read_text("utf-8")
    names = {line.split("==")[0] for line in LOCK} | asked([*PROJECT["dependencies"], *EXTRAS["train"]])
    assert [name for name in names if not re.search(rf"\b{re.escape(canonicalize_name(name))}\b", listed)] == []
