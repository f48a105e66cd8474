"""The runner of the benchmarks: what it judges, and that RESULTS.md shows what was measured."""

import numpy as np

from benchmarks.figures import Figure, Form, at_most, count_right, count_wrong
from benchmarks.locate import judge
from benchmarks.pieces import same_on_top
from benchmarks.run import (
    BENCHMARKS,
    HEADLINES,
    README,
    RESULTS,
    Kept,
    all_rows,
    below,
    floors_of,
    kept,
    measure_all,
    part_table,
    put,
)
from benchmarks.scenes import half_seen
from scorer.render import TrueKingdom
from scorer.vision.locate import Lattice


def measured(*figures: Figure) -> dict[str, Kept]:
    return {"read": Kept("2026-01-01", "a machine", 1.0, {}, figures)}


def test_an_accuracy_below_its_bar_and_without_a_floor_fails() -> None:
    assert below(measured(count_right("squares", 98, 100, 0.99)), {})
    assert not below(measured(count_right("squares", 99, 100, 0.99)), {})


def test_a_floor_holds_while_the_bar_is_missed() -> None:
    reached = measured(count_right("squares", 90, 100, 0.99))
    floors = floors_of(reached)
    assert not below(reached, floors)
    assert not below(measured(count_right("squares", 89, 100, 0.99)), floors)  # another machine, one picture less
    assert below(measured(count_right("squares", 88, 100, 0.99)), floors)


def test_errors_are_judged_the_other_way_round() -> None:
    assert below(measured(count_wrong("false alarms", 1, 100)), {})
    assert below(measured(at_most("calibration error", 0.02, 0.01, judged=True)), {"read: calibration error": -0.015})
    assert not below(
        measured(at_most("calibration error", 0.02, 0.01, judged=True)), {"read: calibration error": -0.03}
    )


def test_times_are_told_and_not_judged() -> None:
    slow = at_most("reading", 9.0, 4.0, " s")
    assert not slow.met
    assert not below(measured(slow), {})
    assert all_rows(measured(slow))[1] == ("Reading", "reading", "9.00 s", "", "at most 4 s", "missed")


def test_other_methods_stand_in_the_same_row() -> None:
    everything = measured(count_right("squares", 9, 10, 0.99))
    everything["read_students"] = Kept("2026-01-01", "a machine", 1.0, {}, (Figure("squares", "5/10"),))
    assert all_rows(everything)[1][3] == "5/10"
    assert "| 5/10 |" in part_table(everything, "read")


def test_only_what_stands_between_the_marks_is_replaced() -> None:
    text = "before\n<!-- a -->\nold\n<!-- end of a -->\nafter\n"
    assert put(text, "a", "new") == "before\n<!-- a -->\nnew\n<!-- end of a -->\nafter\n"
    assert put(text, "b", "new") == text


def test_the_results_show_every_figure_that_was_kept() -> None:
    text = RESULTS.read_text("utf-8")
    for name, what in kept().items():
        missing = [figure.what for figure in what.figures if figure.measured.replace("|", "/") not in text]
        assert BENCHMARKS[name].beside or missing == []


def test_the_readme_shows_its_headlines() -> None:
    figures = {name: {figure.what: figure.measured for figure in what.figures} for name, what in kept().items()}
    text = README.read_text("utf-8")
    for name, chosen in HEADLINES.items():
        assert [what for what in chosen if figures[name].get(what, "?") not in text] == []


def test_benchmarks_run_side_by_side_and_are_told_in_order() -> None:
    found = dict(measure_all(["rules", "read"], Form(None, 0.0, True), jobs=2))
    assert list(found) == ["rules", "read"]
    assert found["rules"].figures
    assert found["read"].missing


def test_covered_squares_are_half_seen_and_covered_tiles_need_not_be_found() -> None:
    """A castle, a domino and an empty place in a row of one square each; the domino's last square is covered."""
    quads = np.stack([np.array([(c, 0), (c + 1, 0), (c + 1, 1), (c, 1)], np.float32) for c in range(4)])[None]
    tiles = np.where(np.arange(4)[None, :, None, None] < 3, quads, np.nan)
    true = TrueKingdom(
        (("C", "w0", "w1", "."),), quads, tiles, quads[0, [0, 3, 3, 0], [0, 1, 2, 3]], "blue", True,
        np.array([[0.95, 0.06, 0.95, np.nan]], np.float32),
    )  # fmt: skip
    assert half_seen(true) == {(0, 0), (0, 1), (0, 2)}

    def found(*occupied: float) -> Lattice:
        held = np.array([occupied], np.float32)
        return Lattice(np.eye(3), 1, 4, true.corners, quads, held, (0, 0), 1.0)

    assert judge(true, [found(1, 1, 1, 0)])[0].exact
    assert judge(true, [found(1, 1, 0, 0)])[0].exact
    assert judge(true, [found(1, 1, 0, 0)])[0].places == 3
    assert not judge(true, [found(1, 0, 1, 0)])[0].exact, "covered in part only"
    assert not judge(true, [found(0, 1, 1, 0)])[0].exact, "a standing castle shows its tile"
    assert not judge(true, [found(1, 1, 1, 1)])[0].exact


def test_what_stands_on_a_square_is_compared_without_its_ground() -> None:
    assert same_on_top("w0+knight", "s2+knight")
    assert not same_on_top("w0+knight", "w0+knight*2")
    assert not same_on_top("w0", "w0+knight")
