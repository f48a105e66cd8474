"""A pad compared with what the kingdoms are worth: row by row, the sums, the winner, and the likely reasons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from scorer.errors import UsageError
from scorer.pads.files import TOTAL, Column, Pad
from scorer.pads.slips import Count, Slip, slips
from scorer.rules.message import Message, msg
from scorer.rules.play import only_what_counts, rules_of
from scorer.rules.ranking import rank
from scorer.rules.score import PlayerScore, Score

Status = Literal["right", "wrong", "missing", "unknown"]
"""`unknown`: a row with points that this table's pad does not have."""
MAX_REASONS = 3


@dataclass(frozen=True)
class RowCheck:
    """One cell of the pad. `right` is what it should say, None for a row that the table does not have."""

    row: str
    status: Status
    written: int | None
    right: int | None
    reasons: tuple[Message, ...] = ()

    @property
    def difference(self) -> int:
        """By how much the cell is too high; an empty cell counts as 0."""
        return (self.written or 0) - (self.right or 0)


@dataclass(frozen=True)
class PlayerCheck:
    """One column; the last of `rows` is the total. `adds_up` is what its written rows add up to."""

    player: str
    column: str
    """What the pad calls the player."""
    rows: tuple[RowCheck, ...]
    adds_up: int

    @property
    def right(self) -> bool:
        return all(row.status == "right" for row in self.rows) and self.written_total == self.adds_up

    @property
    def written_total(self) -> int:
        """What the player is ranked by on the pad: an empty total is added up."""
        written = self.rows[-1].written
        return self.adds_up if written is None else written


@dataclass(frozen=True)
class PadCheck:
    """The whole pad. `ranking` is by the written totals, `right_ranking` as it should be."""

    source: str
    players: tuple[PlayerCheck, ...]
    ranking: list[list[str]]
    right_ranking: list[list[str]]
    decided_by: str

    @property
    def winner_right(self) -> bool:
        return set(self.ranking[0]) == set(self.right_ranking[0])

    @property
    def right(self) -> bool:
        return all(player.right for player in self.players)


def check_pad(pad: Pad, score: Score) -> PadCheck:
    """Compares; raises UsageError where the pad's players are not those of the kingdoms."""
    columns = _columns(pad, score)
    rules = rules_of(score.kingdoms)
    checks = []
    for player, kingdom, name in zip(score.players, score.kingdoms, columns, strict=True):
        kept, _ = only_what_counts(kingdom, rules)
        counts = [Count(kept, rules, bool(row), row) for row in _queen_rows(player)]
        check = _check_player(player, name, pad.players[name], counts)
        checks.append(replace(check, rows=tuple(_perhaps_misread(row, name, pad) for row in check.rows)))
    ranked = [replace(player, total=check.written_total) for player, check in zip(score.players, checks, strict=True)]
    by_pad = rank(ranked, rules.tie_break)
    return PadCheck(pad.source, tuple(checks), by_pad.places, score.ranking, score.decided_by)


def _perhaps_misread(check: RowCheck, column: str, pad: Pad) -> RowCheck:
    """A wrong row with the doubt of its reading as the first reason, where that would make it right."""
    for doubt in pad.doubts:
        if (doubt.player, doubt.row) == (column, check.row) and check.status != "right" and doubt.other == check.right:
            reason = msg("perhaps it was misread and says {other}", other=doubt.other)
            return replace(check, reasons=(reason, *check.reasons))
    return check


def _columns(pad: Pad, score: Score) -> list[str]:
    """The pad's name for each player: by name, or in order where no name is known."""
    folded = {name.casefold().strip(): name for name in pad.players}
    found = [folded.get(player.player.casefold()) for player in score.players]
    if not any(found) and len(pad.players) == len(score.players):
        return list(pad.players)
    missing = [player.player for player, name in zip(score.players, found, strict=True) if name is None]
    spare = [name for name in pad.players if name not in found]
    if missing or spare:
        raise UsageError(
            f"{pad.source}: the pad is for {', '.join(pad.players)}, the kingdoms are of "
            f"{', '.join(player.player for player in score.players)}: call them alike, one kingdom for each column"
        )
    return [name for name in found if name is not None]


def _queen_rows(player: PlayerScore) -> list[str]:
    """The rows where the Queen may stand, "" for nowhere: every allowed choice, first the one that was scored."""
    stands = next((territory.terrain for territory in player.territories if territory.queen), "")
    largest = [t.terrain for t in player.territories if t.size == player.largest_territory]
    # Where nothing says who hosts her, the pad does.
    maybe = largest if any(doubt.between for doubt in player.doubts) else ()
    return list(dict.fromkeys([stands, *player.queen_choices, *maybe]))


def _check_player(player: PlayerScore, name: str, column: Column, counts: Sequence[Count]) -> PlayerCheck:
    """Against the choice of the Queen's place that leaves the fewest rows wrong."""
    scored = counts[0]
    best: tuple[int, Count, dict[str, int]] | None = None
    for count in counts:
        rows = dict(player.rows)
        for queen, sign in ((scored.queen, -1), (count.queen, 1)):
            if queen:
                rows[queen] += sign * player.largest_territory
        wrong = sum((column.get(row) or 0) != points for row, points in rows.items())
        if best is None or wrong < best[0]:
            best = wrong, count, rows
    assert best is not None
    _, count, right = best
    adds_up = sum(points or 0 for row, points in column.items() if row != TOTAL)
    return PlayerCheck(player.player, name, tuple(_rows(column, right, count, adds_up)), adds_up)


def _rows(column: Column, right: dict[str, int], count: Count, adds_up: int) -> Iterator[RowCheck]:
    written = _by_number(column, right)
    known: list[Slip] | None = None
    for row, points in right.items():
        state = _status(written.get(row), points)
        reasons: tuple[Message, ...] = ()
        if state == "wrong":
            known = slips(count) if known is None else known
            reasons = (*_swapped(row, written, right), *_explained(row, (written[row] or 0) - points, known))
        yield RowCheck(row, state, written.get(row), points, reasons[:MAX_REASONS])
    for row, value in written.items():
        if row not in right and row != TOTAL and value:
            yield RowCheck(row, "unknown", value, None)
    total = sum(right.values())
    value = written.get(TOTAL)
    # Unlike a row without points, a total must be written down.
    status: Status = "missing" if value is None else "right" if value == total else "wrong"
    yield RowCheck(TOTAL, status, value, total, tuple(_total_reasons(value, adds_up, total)))


def _by_number(column: Column, right: dict[str, int]) -> dict[str, int | None]:
    """The column with quests that a blank pad only numbers under their names, in the order of the table."""
    quests = [row for row in right if row.startswith("quest:")]
    names = {f"quest:{number}": row for number, row in enumerate(quests, start=1)}
    return {names.get(row, row): value for row, value in column.items()}


def _status(written: int | None, right: int) -> Status:
    # An empty cell says 0.
    if (written or 0) == right:
        return "right"
    return "missing" if written is None else "wrong"


def _explained(row: str, difference: int, known: Sequence[Slip]) -> Iterator[Message]:
    return (slip.reason for slip in known if slip.row == row and slip.difference == difference)


def _swapped(row: str, written: dict[str, int | None], right: dict[str, int]) -> Iterator[Message]:
    """Another row that is wrong the other way round: the two were swapped."""
    for other, points in right.items():
        if points != right[row] and written.get(row) == points and (written.get(other) or 0) == right[row]:
            # TRANSLATORS: {row} is the id of a row in the file.
            yield msg("swapped with the row {row}", row=RowName(other))


class RowName(str):
    """The id of a row among the values of a message; whoever says it puts the row's name there."""

    __slots__ = ()


def _total_reasons(written: int | None, adds_up: int, right: int) -> Iterator[Message]:
    if written in (None, right):
        return
    if written != adds_up:
        yield msg("adding error: the rows add up to {sum}", sum=adds_up)
    else:
        yield msg("added up rightly from wrong rows")


def as_json(check: PadCheck) -> dict[str, Any]:
    """The `pad-check/1` form."""
    return {
        "format": "pad-check/1",
        "pad": check.source,
        "right": check.right,
        "players": [
            {
                "player": player.player,
                "column": player.column,
                "right": player.right,
                "adds_up": player.adds_up,
                "rows": [
                    {
                        "row": row.row,
                        "status": row.status,
                        "written": row.written,
                        "right": row.right,
                        "difference": row.difference,
                        "reasons": [str(reason) for reason in row.reasons],
                    }
                    for row in player.rows
                ],
            }
            for player in check.players
        ],
        "ranking": check.ranking,
        "right_ranking": check.right_ranking,
        "winner_right": check.winner_right,
        "decided_by": check.decided_by,
    }
