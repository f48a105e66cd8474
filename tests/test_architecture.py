"""The layers: the rules import nothing but the standard library and themselves."""

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "scorer"


def imported(module: Path) -> set[str]:
    """Top-level names of absolute imports; relative ones stay inside their package."""
    names = set()
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 1, f"{module.name} reaches outside its package"
    return names


@pytest.mark.parametrize("module", sorted((PACKAGE / "rules").glob("*.py")), ids=lambda path: path.stem)
def test_the_rules_import_only_the_standard_library(module: Path) -> None:
    assert imported(module) <= set(sys.stdlib_module_names)
