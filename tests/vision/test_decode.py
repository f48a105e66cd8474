"""From likely squares to kingdoms of the box: what it corrects, what it leaves alone, how sure it is."""

import numpy as np
import pytest

from scorer.rules.play import rules_named
from scorer.vision.classify import LABELS
from scorer.vision.decode import Decoded, decode

Grid = list[list[str]]
Doubtful = dict[tuple[int, int], tuple[str, float]]


def likely(grid: Grid, doubtful: Doubtful | None = None) -> np.ndarray:
    """Log-probabilities of a network that is sure of a grid, and takes some places of it rather for something else, by
    so many nats."""
    values = np.full((len(grid), len(grid[0]), len(LABELS)), -16.0, np.float32)
    for r, row in enumerate(grid):
        for c, cell in enumerate(row):
            other, nats = (doubtful or {}).get((r, c), ("", 0.0))
            values[r, c, LABELS.index(cell)] = -max(nats, 0.0)
            if other:
                values[r, c, LABELS.index(other)] = min(nats, 0.0)
    return values - np.logaddexp.reduce(values, axis=2, keepdims=True)


def one(decoded: Decoded) -> Grid:
    return [list(row) for row in decoded.kingdoms[0].labels]


GRID = [["C", "w1", "l0"], [".", "w0", "w0"]]


def test_the_box_corrects_what_no_domino_shows() -> None:
    decoded = decode([likely(GRID, {(0, 1): ("w2", 1.0)})], "kingdomino")
    assert one(decoded) == GRID
    (seen,) = decoded.kingdoms
    assert seen.plain[0][1] == "w2"
    assert seen.by_box
    assert not decoded.notes


def test_the_box_does_not_overrule_a_network_that_is_sure() -> None:
    # A house tile: w2 beside l0 is in no box, and plain to see.
    house = [["C", "w2", "l0"], [".", "w0", "w0"]]
    decoded = decode([likely(house)])
    assert one(decoded) == house
    (seen,) = decoded.kingdoms
    assert not seen.by_box
    assert seen.odd
    assert "one by one" in str(seen.why_odd)


def test_the_box_is_believed_as_far_as_another_one_is_unlikely() -> None:
    # Known boxes lay ninety-nine kingdoms of a hundred: e to the 4.6.
    assert decode([likely(GRID, {(0, 1): ("w2", 4.4)})], "kingdomino").kingdoms[0].by_box
    seen = decode([likely(GRID, {(0, 1): ("w2", 4.8)})], "kingdomino").kingdoms[0]
    assert not seen.by_box
    assert seen.labels[0][1] == "w2"
    assert seen.odd == {(0, 1)}


def test_that_a_kingdom_has_a_castle_is_no_matter_of_the_box() -> None:
    seen = decode([likely(GRID, {(0, 0): ("l1", 6.0)})], "kingdomino").kingdoms[0]
    assert seen.by_box
    assert seen.labels[0][0] == "C"


def test_a_wrong_rule_set_is_told() -> None:
    towns = [["C", "t0", "t0"]]
    decoded = decode([likely(towns)], "kingdomino")
    assert one(decoded) == towns
    assert "those of Queendomino can" in str(decoded.kingdoms[0].why_odd)


def test_the_connection_rule_is_left_aside() -> None:
    # No terrain of the second domino touches its like: players do lay so.
    broken = [["C", "w0", "f0", "l0", "g1"]]
    decoded = decode([likely(broken)])
    assert one(decoded) == broken
    assert decoded.kingdoms[0].by_box


@pytest.mark.parametrize(
    ("grid", "rules"),
    [
        ([["C", "w1", "l0"]], "kingdomino"),
        ([["C", "t0", "t0"]], "queendomino"),
        ([["C", "m3", "m3"]], "kingdomino"),
        ([["C", "t0", "m3"]], "queendomino"),
        ([["C", *["w0"] * 8]], "xxxl"),
        ([["C", "w1", "l0", *["."] * 6]], "kingdomino"),
    ],
)
def test_the_smallest_box_that_fits_is_guessed(grid: Grid, rules: str) -> None:
    assert decode([likely(grid)]).rules == rules


def test_kingdoms_of_one_table_share_a_box() -> None:
    # There is one mine with three crowns; one of the two is a mine with two, and the less sure one gives way.
    first = likely([["C", "w0", "m3"]], {(0, 2): ("m2", -4.0)})
    second = likely([["C", "w0", "m3"]], {(0, 2): ("m2", -2.0)})
    assert rules_named("kingdomino").box.dominoes["m3", "w0"] == 1
    decoded = decode([first, second], "kingdomino")
    assert [kingdom.labels[0][2] for kingdom in decoded.kingdoms] == ["m3", "m2"]
    alone = decode([second], "kingdomino")
    assert alone.kingdoms[0].labels[0][2] == "m3"


def test_kingdoms_that_cannot_share_a_box_are_read_alone() -> None:
    kingdom = [["C", "w0", "m3"]]
    decoded = decode([likely(kingdom), likely(kingdom)], "kingdomino")
    assert [[list(row) for row in seen.labels] for seen in decoded.kingdoms] == [kingdom, kingdom]
    assert "more often than the box holds it" in str(decoded.notes[0])


def test_confidence_follows_what_the_box_leaves_open() -> None:
    # Alone, w1 is hardly likelier than w0 or w2; the box has both w1 and w0 beside a lake, but never w2.
    open_ = decode([likely([["C", "w1", "l0"]], {(0, 1): ("w0", -1.0)})], "kingdomino").kingdoms[0]
    closed = decode([likely([["C", "w1", "l0"]], {(0, 1): ("w2", -1.0)})], "kingdomino").kingdoms[0]
    assert open_.confidence[0, 1] == pytest.approx(1 / (1 + np.exp(-1)), abs=0.01)
    assert open_.other[0][1] == "w0"
    assert closed.confidence[0, 1] > 0.95
    assert open_.sure == pytest.approx(open_.confidence[0, 1], abs=0.01)
    assert closed.sure > 0.95
    assert closed.confidence[0, 0] > 0.98


def test_time_runs_out_gracefully(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorer.vision.decode.SECONDS", 0.0)
    decoded = decode([likely(GRID)])
    assert one(decoded) == GRID
    assert "not decided in time" in str(decoded.kingdoms[0].why_odd)
    assert decoded.kingdoms[0].odd


def test_what_was_not_searched_is_no_surer_than_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    values = likely([["C", "w1", "l0"]], {(0, 1): ("w2", -1.0)})
    alone = float(np.exp(values[0, 1].max()))
    monkeypatch.setattr("scorer.vision.decode.alternatives", lambda *_, **__: ({}, False))
    kingdom = decode([values], "kingdomino").kingdoms[0]
    assert kingdom.by_box
    assert kingdom.confidence[0, 1] == pytest.approx(alone, abs=1e-3)
