"""The layers hold: who may import whom, that the edges only translate, that nothing is dead or stands twice."""

import ast
import graphlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = "scorer"
SCORING = {"court", "estate", "form", "queen", "quests", "ranking", "rows", "score", "series", "territory", "turn"}
"""Modules of the rules that know of points."""
HEAVY = {"PIL", "cv2", "numpy", "onnxruntime", "pillow_heif"}
PHOTOS_ON_THE_PAGE = "scorer.web.reading"
"""Runs in a worker and hands photos to the library: the only module of the page that touches pixels."""
STARTED = {"scorer", "scorer.batch.worker", "scorer.cli", "scorer.locale.extract", "scorer.render.__main__"}
"""What people and programs start; everything else is imported from there."""
MOST_STATEMENTS = 30
"""Of a function at the edges: a command or a page that does more has taken over work of the library."""
SAME_LINES = 6


@dataclass(frozen=True)
class Import:
    module: str
    name: str
    for_types: bool


@dataclass(frozen=True)
class Module:
    """A module of ours: what it imports, wherever in the module."""

    name: str
    tree: ast.Module = field(repr=False)
    is_package: bool

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def imports(self) -> Iterator[Import]:
        typing_only = {
            id(inner)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for inner in ast.walk(node)
        }
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(alias.name, "", id(node) in typing_only)
            elif isinstance(node, ast.ImportFrom):
                above = self.package.split(".")[: len(self.package.split(".")) + 1 - node.level] if node.level else []
                module = ".".join([*above, *([node.module] if node.module else [])])
                for alias in node.names:
                    yield Import(module, alias.name, id(node) in typing_only)

    def ours(self, *, for_types: bool = False) -> set[str]:
        """Modules of ours that it imports; with or without those that only the type checker sees."""
        found = set()
        for one in self.imports():
            if one.for_types <= for_types:
                inner = f"{one.module}.{one.name}"
                found.add(inner if inner in modules() else one.module)
        return found & modules().keys()

    def foreign(self) -> set[str]:
        return {one.module.split(".")[0] for one in self.imports()} - {PACKAGE}


def modules() -> dict[str, Module]:
    return read(PACKAGE)


@cache
def read(folder: str) -> dict[str, Module]:
    found = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, ast.parse(path.read_text("utf-8")), parts[-1] == "__init__")
    return found


def below(package: str) -> list[Module]:
    return [module for name, module in modules().items() if f"{name}.".startswith(f"{package}.")]


def part(module: str) -> str:
    """The package that a module lies in, or the module itself beside them."""
    words = module.split(".")
    return ".".join(words[:2]) if len(words) > 1 else PACKAGE


@pytest.mark.parametrize("module", below("scorer.rules"), ids=lambda module: module.name)
def test_the_rules_import_only_the_standard_library_and_themselves(module: Module) -> None:
    assert module.foreign() <= set(sys.stdlib_module_names)
    assert all(part(name) == "scorer.rules" for name in module.ours(for_types=True))


@pytest.mark.parametrize("module", below("scorer.vision"), ids=lambda module: module.name)
def test_the_vision_knows_nothing_of_points(module: Module) -> None:
    scoring = {f"scorer.rules.{name}" for name in SCORING}
    assert module.ours(for_types=True) & scoring == set()
    taken = {one.name for one in module.imports() if one.module == "scorer.rules"}
    assert taken <= {"Doubt", "Kingdom", "Square", "parse", "to_text"}


@pytest.mark.parametrize("edge", ["scorer.cli", "scorer.web", "scorer.batch"])
def test_the_library_does_not_know_its_edges(edge: str) -> None:
    users = {part(module.name) for module in modules().values() if any(part(name) == edge for name in module.ours())}
    assert users <= {edge, "scorer.cli", *(["scorer.web"] if edge == "scorer.batch" else [])}


def test_packages_do_not_import_each_other_in_circles() -> None:
    graph: dict[str, set[str]] = {}
    for module in modules().values():
        graph.setdefault(part(module.name), set()).update(map(part, module.ours()))
    graphlib.TopologicalSorter({name: used - {name} for name, used in graph.items()}).prepare()


@pytest.mark.parametrize("module", below("scorer.cli"), ids=lambda module: module.name)
def test_the_command_line_only_parses_and_prints(module: Module) -> None:
    assert module.foreign() <= {"click", *sys.stdlib_module_names}


@pytest.mark.parametrize("module", below("scorer.web"), ids=lambda module: module.name)
def test_the_page_leaves_pixels_to_the_library(module: Module) -> None:
    assert module.foreign() & HEAVY == set() or module.name == PHOTOS_ON_THE_PAGE


@pytest.mark.parametrize("module", [*below("scorer.cli"), *below("scorer.web")], ids=lambda module: module.name)
def test_functions_at_the_edges_are_short(module: Module) -> None:
    long = {
        node.name: count
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (count := sum(isinstance(inner, ast.stmt) for inner in ast.walk(node)) - 1) > MOST_STATEMENTS
    }
    assert long == {}


def test_commands_about_rules_load_nothing_that_only_photos_need(tmp_path: Path) -> None:
    example = str(ROOT / "samples" / "kingdoms" / "example-71.kingdom")
    pad = tmp_path / "pad.csv"
    pad.write_text("row,White\ncoins,3\n", "utf-8")
    commands = [
        ["score", example, "--explain"],
        ["score", example, "--json"],
        ["tax", example, "0,4"],
        ["price", "3"],
        ["pad", "check", str(pad), example],
    ]
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom scorer.cli import main\n"
        f"for command in {commands!r}:\n"
        "    print(CliRunner().invoke(main, command).exit_code, end=' ')\n"
        f"print(*sorted({HEAVY!r} & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["0", "0", "0", "0", "1"]


def test_every_module_is_reached() -> None:
    """From what is started: commands are named in a table, so that they load only when called."""
    from scorer.cli import COMMANDS

    reached: set[str] = set()
    waiting = {*STARTED, *(module for module, _ in COMMANDS.values())}
    while waiting:
        name = waiting.pop()
        reached.add(name)
        above = {name.rpartition(".")[0]} - {""}
        waiting |= (modules()[name].ours(for_types=True) | above) - reached
    assert modules().keys() - reached == set()


@cache
def mentioned() -> tuple[set[tuple[str, str]], set[str]]:
    """What any file of ours imports by name, as (module, name); what it takes from an object or says in a string."""
    imported, words = set(), set()
    for folder in ("scorer", "benchmarks", "models", "tests"):
        for module in read(folder).values():
            imported |= {(one.module, one.name) for one in module.imports()}
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Attribute):
                    words.add(node.attr)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    words.add(node.value)
    return imported, words


def defined(tree: ast.Module) -> Iterator[str]:
    """Names of a module's top level, but for functions that a decorator takes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if isinstance(node, ast.ClassDef) or not node.decorator_list:
                yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name))


@pytest.mark.parametrize("module", modules().values(), ids=lambda module: module.name)
def test_nothing_is_dead(module: Module) -> None:
    imported, words = mentioned()
    own = {node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    names = {name for name in defined(module.tree) if not name.startswith("__") and name != "main"}
    assert {name for name in names - own - words if (module.name, name) not in imported} == set()


def test_no_six_lines_stand_twice() -> None:
    """Blank lines, comments, imports and lone brackets aside."""
    places: dict[tuple[str, ...], list[str]] = {}
    for folder in ("scorer", "benchmarks", "models", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            lines = list(telling_lines(path.read_text("utf-8")))
            for start in range(len(lines) - SAME_LINES + 1):
                block = lines[start : start + SAME_LINES]
                place = f"{path.relative_to(ROOT)}:{block[0][0]}"
                places.setdefault(tuple(line for _, line in block), []).append(place)
    assert [found for found in places.values() if len(found) > 1] == []


def telling_lines(text: str) -> Iterator[tuple[int, str]]:
    imports: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(text.splitlines(), start=1):
        line = " ".join(line.split())
        if number not in imports and not line.startswith("#") and any(map(str.isalnum, line)):
            yield number, line
