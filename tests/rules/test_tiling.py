"""The tiling solver against an independent brute force, and known kingdoms that can and cannot be laid."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import inf
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.rules import cover
from scorer.rules.tiling import Box, Costs, Label, Layout, Obstacle, Place, Why, alternatives, cheapest, tile

Kingdom = dict[Place, Label]


def parse(text: str) -> Kingdom:
    """Rows of labels; a dash is a place that is not there."""
    rows = [line.split() for line in text.strip().splitlines()]
    return {(r, c): label for r, row in enumerate(rows) for c, label in enumerate(row) if label != "-"}


def box(*dominoes: str, **jokers: int) -> Box:
    return Box(Counter(tuple(sorted(domino.split())) for domino in dominoes), **jokers)


def beside(place: Place) -> set[Place]:
    r, c = place
    return {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)}


# The brute force: every way to cover the places one by one, every label, every use of the box.


def covers(costs: Costs, box: Box) -> Iterator[tuple[Kingdom, list[tuple[Place, Place]], Counter[object]]]:
    def go(
        todo: list[Place], kingdom: Kingdom, dominoes: list[tuple[Place, Place]], used: Counter[object]
    ) -> Iterator[tuple[Kingdom, list[tuple[Place, Place]], Counter[object]]]:
        if not todo:
            if list(kingdom.values()).count("C") == 1 and can_be_laid(kingdom, dominoes):
                yield kingdom, dominoes, used
            return
        place, rest = todo[0], todo[1:]
        for label in costs[place]:
            if label in ("C", "."):
                yield from go(rest, kingdom | {place: label}, dominoes, used)
                continue
            for other in beside(place) & set(rest):
                for second in set(costs[other]) - {"C", "."}:
                    laid = kingdom | {place: label, other: second}
                    left = [p for p in rest if p != other]
                    towns = [label, second].count("t0")
                    kind = tuple(sorted((label, second)))
                    ways: list[Counter[object]] = [Counter({kind: 1})] if kind in box.dominoes else []
                    if box.jokers:
                        ways.append(Counter({"jokers": 1, "towns": towns, "others": 2 - towns}))
                    for way in ways:
                        if within(used + way, box):
                            yield from go(left, laid, [*dominoes, (place, other)], used + way)

    return go(sorted(costs), {}, [], Counter())


def within(used: Counter[object], box: Box) -> bool:
    limits: dict[object, int] = {
        **box.dominoes,
        "jokers": box.jokers,
        "towns": box.joker_towns,
        "others": box.joker_others,
    }
    return all(count <= limits[what] for what, count in used.items())


def can_be_laid(kingdom: Kingdom, dominoes: Sequence[tuple[Place, Place]]) -> bool:
    laid: set[Place] = set()
    waiting = list(dominoes)
    while waiting:
        for domino in waiting:
            if connects(kingdom, laid, domino):
                waiting.remove(domino)
                laid |= set(domino)
                break
        else:
            return False
    return True


def connects(kingdom: Mapping[Place, Label], laid: set[Place], domino: tuple[Place, Place]) -> bool:
    return any(
        kingdom.get(near) == "C" or (near in laid and kingdom[near][0] == kingdom[place][0])
        for place in domino
        for near in beside(place)
    )


def in_size(kingdom: Kingdom, size: int | None) -> bool:
    laid = [place for place, label in kingdom.items() if label != "."]
    spans = [max(p[axis] for p in laid) - min(p[axis] for p in laid) for axis in (0, 1)]
    return size is None or max(spans) < size


def brute(kingdoms: Sequence[Costs], box: Box, size: int | None) -> list[float]:
    """The costs of all different readings of the table, cheapest first."""
    options = [[c for c in covers(costs, box) if in_size(c[0], size)] for costs in kingdoms]
    found: dict[object, float] = {}
    for choice in product(*options):
        if within(sum((used for _, _, used in choice), Counter()), box):
            key = tuple(tuple(sorted(kingdom.items())) for kingdom, _, _ in choice)
            found[key] = sum(
                costs[p][x] for costs, (k, _, _) in zip(kingdoms, choice, strict=True) for p, x in k.items()
            )
    return sorted(found.values())


def check(layout: Layout, kingdoms: Sequence[Costs], box: Box) -> None:
    """The layout obeys every rule, and its dominoes are in an order in which they can be laid."""
    used: Counter[tuple[Label, ...]] = Counter()
    for costs, kingdom, dominoes in zip(kingdoms, layout.kingdoms, layout.dominoes, strict=True):
        assert kingdom.keys() == costs.keys()
        assert list(kingdom.values()).count("C") == 1
        laid: set[Place] = set()
        for one, other in dominoes:
            assert other in beside(one)
            assert connects(kingdom, laid, (one, other))
            assert not laid & {one, other}
            laid |= {one, other}
            used[tuple(sorted((kingdom[one], kingdom[other])))] += 1
        assert laid == {place for place, label in kingdom.items() if label not in ("C", ".")}
    beyond = sum(max(0, n - box.dominoes.get(kind, 0)) for kind, n in used.items())  # type: ignore[call-overload]
    assert beyond <= box.jokers
    cost = sum(costs[p][x] for costs, k in zip(kingdoms, layout.kingdoms, strict=True) for p, x in k.items())
    assert layout.cost == pytest.approx(cost)


LABELS = ["w0", "w1", "f0", "t0"]
PAIRS = [(a, b) for i, a in enumerate(LABELS) for b in LABELS[i:]]
SHAPES = [(1, 3), (2, 2), (1, 5), (2, 3), (3, 3), (3, 4)]


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    dominoes = draw(st.dictionaries(st.sampled_from(PAIRS).map(lambda p: tuple(sorted(p))), st.integers(1, 2)))
    jokers = draw(st.sampled_from([0, 0, 0, 1, 2]))
    towns = draw(st.integers(0, 2 * jokers))
    return Box(dominoes, jokers, towns, 2 * jokers - towns)


@st.composite
def readings(draw: st.DrawFn, shapes: list[Place], most: int) -> dict[Place, dict[Label, float]]:
    height, width = draw(st.sampled_from(shapes))
    places = [(r, c) for r in range(height) for c in range(width)]
    castle = draw(st.sampled_from(places))
    rng = random.Random(draw(st.integers(0, 2**32)))
    costs = {}
    for place in places:
        labels = rng.sample(LABELS, rng.randint(1, most)) + ["."] * (rng.random() < 0.4)
        if place == castle or rng.random() < 0.1:
            labels = ["C"] if rng.random() < 0.7 else [*labels[:1], "C"]
        costs[place] = {label: rng.choice([0, 0.5, 1, 2, 3, 4, 6, 7.25]) - 2 for label in labels}
    return costs


def agree(kingdoms: Sequence[Costs], box: Box, size: int | None = None) -> None:
    expected = brute(kingdoms, box, size)
    solution = cheapest(kingdoms, box, seconds=20, max_size=size)
    layouts = [solution.best, solution.runner_up]
    assert solution.proven
    assert solution.runner_up_proven
    assert [layout.cost for layout in layouts if layout] == pytest.approx(expected[:2])
    for layout in layouts:
        if layout:
            check(layout, kingdoms, box)
    if solution.best and solution.runner_up:
        assert solution.best.kingdoms != solution.runner_up.kingdoms


@settings(max_examples=300, deadline=None)
@given(readings(SHAPES[:-1], 3), boxes(), st.sampled_from([None, None, 2, 3]))
def test_one_kingdom_agrees_with_brute_force(costs: Costs, box: Box, size: int | None) -> None:
    agree([costs], box, size)


@settings(max_examples=40, deadline=None)
@given(readings(SHAPES[-1:], 2), boxes())
def test_twelve_places_agree_with_brute_force(costs: Costs, box: Box) -> None:
    agree([costs], box)


@settings(max_examples=200, deadline=None)
@given(st.lists(readings(SHAPES[:4], 2), min_size=2, max_size=3), boxes())
def test_tables_agree_with_brute_force(kingdoms: Sequence[Costs], box: Box) -> None:
    agree(kingdoms, box)


@settings(max_examples=150, deadline=None)
@given(st.lists(readings(SHAPES[:5], 2), min_size=1, max_size=2), boxes())
def test_tile_agrees_with_brute_force(kingdoms: Sequence[Costs], box: Box) -> None:
    tiling = tile(kingdoms, box, seconds=20)
    assert bool(tiling.layout) == bool(brute(kingdoms, box, None))
    assert bool(tiling.layout) != bool(tiling.obstacles)
    if tiling.layout:
        check(
            tiling.layout,
            [{place: dict.fromkeys(costs[place], 0.0) for place in costs} for costs in kingdoms],
            box,
        )


# Known kingdoms.

ROW = parse("C w0 f0")
MEADOW = box("w0 w0", "w0 w0", "w0 f0", "f0 f0")


@pytest.mark.parametrize(
    ("kingdoms", "dominoes", "obstacles"),
    [
        pytest.param(["C"], MEADOW, [], id="a castle alone"),
        pytest.param(["C w0 f0"], MEADOW, [], id="one domino"),
        pytest.param(["C f0 w0"], MEADOW, [], id="turned round"),
        pytest.param(["w0 f0"], MEADOW, [Obstacle(Why.CASTLE, 0)], id="no castle"),
        pytest.param(["C w0 f0 C"], MEADOW, [Obstacle(Why.CASTLE, 0)], id="two castles"),
        pytest.param(["C w0 w0 w0"], MEADOW, [Obstacle(Why.SHAPE, 0)], id="odd number of squares"),
        pytest.param(["w0 C w0 . "], MEADOW, [Obstacle(Why.SHAPE, 0, (0, 0))], id="a square on its own"),
        pytest.param(["C w0 t0"], MEADOW, [Obstacle(Why.BOX, 0, (0, 1))], id="no such domino"),
        pytest.param(["f0 w0 C w0 f0"], MEADOW, [Obstacle(Why.BOX, 0)], id="a domino twice"),
        pytest.param(["C w0 w0 f0 f0"], MEADOW, [Obstacle(Why.ORDER, 0, (0, 3))], id="no equal terrain"),
        pytest.param(["C w0 f0", "C f0 w0"], MEADOW, [Obstacle(Why.TABLE)], id="one domino, two kingdoms"),
        pytest.param(["C w0 w0", "C w0 w0"], MEADOW, [], id="two copies, two kingdoms"),
        pytest.param(
            ["C w0 w0 w0", "C t0 t0", "C w0 f0"],
            MEADOW,
            [Obstacle(Why.SHAPE, 0), Obstacle(Why.BOX, 1, (0, 1))],
            id="every kingdom is told",
        ),
        pytest.param(["C t0 w3"], box(jokers=1, joker_towns=1, joker_others=1), [], id="a joker"),
        pytest.param(
            ["C t0 t0"],
            box(jokers=1, joker_towns=1, joker_others=1),
            [Obstacle(Why.BOX, 0, (0, 1))],
            id="a joker with too many towns",
        ),
        pytest.param(
            ["t0 t0 C t0 f0"],
            box(jokers=2, joker_towns=2, joker_others=2),
            [Obstacle(Why.BOX, 0)],
            id="jokers with too many towns together",
        ),
        pytest.param(
            # Split upright the first kingdom leaves w0 f0 to the second, but then f0 f0 touches no forest.
            ["C w0 f0\n- l0 f0", "C w0 f0"],
            box("w0 f0", "l0 f0", "w0 l0", "f0 f0"),
            [Obstacle(Why.ORDER)],
            id="the order takes what another kingdom needs",
        ),
    ],
)
def test_tile(kingdoms: list[str], dominoes: Box, obstacles: list[Obstacle]) -> None:
    tiling = tile([parse(text) for text in kingdoms], dominoes, seconds=10)
    assert list(tiling.obstacles) == obstacles
    assert (tiling.layout is None) == bool(obstacles)


def test_unknown_squares_take_any_label_allowed() -> None:
    tiling = tile([{(0, 0): {"C", "w0"}, (0, 1): ["w0", "t0"], (0, 2): "f0"}], MEADOW)
    assert tiling.layout is not None
    assert tiling.layout.kingdoms == ({(0, 0): "C", (0, 1): "w0", (0, 2): "f0"},)
    assert tiling.layout.dominoes == ((((0, 1), (0, 2)),),)


def test_no_kingdom_is_a_possible_table() -> None:
    solution = cheapest([], MEADOW)
    assert solution.best == Layout((), (), 0.0)
    assert solution.runner_up is None
    assert solution.runner_up_proven


def test_an_infinite_cost_is_impossible() -> None:
    costs = {(0, 0): {"C": 0.0}, (0, 1): {"w0": inf, ".": 5.0}, (0, 2): {"w0": 0.0, ".": 5.0}}
    solution = cheapest([costs], MEADOW)
    assert solution.best is not None
    assert solution.best.cost == 10.0
    assert solution.runner_up is None
    assert cheapest([{(0, 0): {"C": inf}}], MEADOW).best is None


def test_the_connection_rule_can_be_left_aside() -> None:
    kingdom: Costs = {place: {label: 0.0} for place, label in parse("C w0 f0 l0 g0").items()}
    dominoes = box("f0 w0", "g0 l0")
    assert cheapest([kingdom], dominoes).best is None
    found = cheapest([kingdom], dominoes, ordered=False).best
    assert found is not None
    assert found.dominoes == ((((0, 1), (0, 2)), ((0, 3), (0, 4))),)


def test_nothing_dearer_than_asked_for_is_found() -> None:
    kingdom: Costs = {(0, 0): {"C": 0.0}, (0, 1): {"w0": 0.0, "w1": 2.0, "f0": 5.0}, (0, 2): {"l0": 0.0}}
    assert cheapest([kingdom], box("l0 w1"), most=1.9).best is None
    found = cheapest([kingdom], box("l0 w1", "f0 l0"), most=2.0)
    assert found.best is not None
    assert found.runner_up is None
    assert found.runner_up_proven
    assert cheapest([kingdom], box("l0 w1", "f0 l0"), most=3.0).runner_up is not None


@settings(max_examples=60, deadline=None)
@given(readings(SHAPES[:5], 3), boxes())
def test_alternatives_are_the_cheapest_without_a_label(costs: Costs, dominoes: Box) -> None:
    best = cheapest([costs], dominoes, runner_up=False).best
    if best is None:
        return
    found, whole = alternatives(costs, dominoes, best, 4.0)
    assert whole
    for place, labels in costs.items():
        rest = {label: cost for label, cost in labels.items() if label != best.kingdoms[0][place]}
        other = cheapest([{**costs, place: rest}], dominoes, runner_up=False).best
        if other is None or other.cost > best.cost + 4.0:
            assert place not in found
        else:
            assert found[place].cost == pytest.approx(other.cost)
            assert found[place].kingdoms[0][place] != best.kingdoms[0][place]


def test_the_runner_up_can_be_left_out() -> None:
    costs = {(0, 0): {"C": 0.0}, (0, 1): {"w0": 0.0, "f0": 1.0}, (0, 2): {"w0": 0.0}}
    solution = cheapest([costs], MEADOW, runner_up=False)
    assert solution.proven
    assert solution.runner_up is None
    assert not solution.runner_up_proven


# The time cap.


def everything_allowed(size: int) -> Costs:
    labels = [a + str(n) for a in "wflgsmt" for n in range(3)] + ["C", "."]
    return {(r, c): dict.fromkeys(labels, 1.0) for r in range(size) for c in range(size)}


WIDE = Box({(a, b): 1 for a in ("f0", "g0", "l0") for b in ("s0", "t0", "w0")}, 12, 15, 9)


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.3])
def test_the_time_cap_holds_when_everything_is_allowed(seconds: float) -> None:
    start = process_time()
    assert sum(number % 7 for number in range(2_000_000)) > 0
    yardstick = process_time() - start
    solution = cheapest([everything_allowed(9)] * 2, WIDE, seconds=seconds)
    # About a second on the machines this was written on, more on slower ones.
    assert process_time() - start < seconds + 15 * yardstick
    assert not solution.runner_up_proven
    if solution.best is not None:
        check(solution.best, [everything_allowed(9)] * 2, WIDE)


class Clock:
    """Stands still for a while, then is past every deadline."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self) -> float:
        self.calls -= 1
        return 0.0 if self.calls > 0 else 1e9


def test_wherever_the_time_ends_the_answer_is_possible_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    kingdoms = [
        {(r, c): {x: rng.random() * 4 for x in ("w0", "f0", "w1", ".")} for r in range(2) for c in range(3)}
        for _ in range(2)
    ]
    for costs in kingdoms:
        costs[0, 0] = {"C": 0.0}
    dominoes = box("w0 f0", "w0 w0", "w1 f0", "f0 f0")
    full = cheapest(kingdoms, dominoes, seconds=60)
    assert full.best is not None
    seen = set()
    for calls in sorted({int(1.15**n) for n in range(80)}):
        monkeypatch.setattr(cover, "tick", Clock(calls))
        solution = cheapest(kingdoms, dominoes, seconds=60)
        seen.add((solution.best is not None, solution.proven, solution.runner_up_proven))
        if solution.best is not None:
            check(solution.best, kingdoms, dominoes)
            assert solution.best.cost >= full.best.cost - 1e-6
        if solution.proven:
            assert solution.best is not None
            assert solution.best.cost == pytest.approx(full.best.cost)
    assert {(False, False, False), (True, True, False), (True, True, True)} <= seen


@pytest.mark.parametrize("text", ["C w0 w0 f0 f0", "C w0 w0 w0", "C t0 t0"])
def test_wherever_the_time_ends_tile_says_so(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = tile([parse(text)], MEADOW).obstacles
    answers = []
    for calls in range(1, 200):
        monkeypatch.setattr(cover, "tick", Clock(calls))
        answers.append(tile([parse(text)], MEADOW, seconds=60).obstacles)
    first = answers.index(expected)
    assert set(answers[:first]) == {(Obstacle(Why.UNPROVEN),)}
    assert set(answers[first:]) == {expected}
