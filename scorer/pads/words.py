"""The check of a pad in words: the pad as a table with what would be right, then every slip."""

from collections.abc import Iterator

from scorer.pad import row_name, table_text
from scorer.pads.check import PadCheck, RowCheck, RowName
from scorer.pads.files import TOTAL, Pad
from scorer.rules.message import Message, msg
from scorer.texts import Translate

ARROW = "→"


def check_table(check: PadCheck, say: Translate) -> str:
    """What is written, with an arrow to what would be right."""
    rows = dict.fromkeys(row.row for player in check.players for row in player.rows[:-1])
    cells = {(player.player, row.row): row for player in check.players for row in player.rows}
    names = [player.player for player in check.players]
    table = [["", *names]]
    for row in (*rows, TOTAL):
        table.append([named_row(row, say), *(_cell(cells.get((name, row))) for name in names)])
    return table_text(table)


def _cell(row: RowCheck | None) -> str:
    if row is None:
        return ""
    written = "" if row.written is None else str(row.written)
    return written if row.status == "right" else f"{written} {ARROW} {0 if row.right is None else row.right}".strip()


def named_row(row: str, say: Translate) -> str:
    """A row's name; a row that no rule set has is called by its id."""
    return row if row == "other" else row_name(row, say)


def findings(check: PadCheck, say: Translate) -> Iterator[str]:
    """A sentence for everything that is wrong, and the verdict."""
    for player in check.players:
        for row in player.rows:
            if row.status != "right" or (row.row == TOTAL and row.written != player.adds_up):
                yield _finding(player.player, row, say)
    yield _verdict(check, say)


def _finding(player: str, row: RowCheck, say: Translate) -> str:
    values = {"player": player, "row": named_row(row.row, say), "written": row.written, "right": row.right}
    line = say(Message(_FINDINGS[row.status].template, values))
    if not row.reasons:
        return line
    reasons = say(msg("; or ")).join(_said(reason, say) for reason in row.reasons)
    return say(msg("{finding}; probably {reasons}", finding=line, reasons=reasons))


_FINDINGS: dict[str, Message] = {
    "right": msg("{player}, {row}: {written} is right, but not the sum of what is written"),
    "wrong": msg("{player}, {row}: {written} is written, {right} is right"),
    "missing": msg("{player}, {row}: nothing is written, {right} is right"),
    "unknown": msg("{player}, {row}: {written} is written, but this game has no such row"),
}


def _said(reason: Message, say: Translate) -> str:
    values = {
        key: named_row(value, say) if isinstance(value, RowName) else value for key, value in reason.values.items()
    }
    return say(Message(reason.template, values))


def _verdict(check: PadCheck, say: Translate) -> str:
    wins, right = (", ".join(ranking[0]) for ranking in (check.ranking, check.right_ranking))
    if len(check.players) > 1 and not check.winner_right:
        return say(msg("by the pad {player} wins, in truth {right}", player=wins, right=right))
    if check.right:
        return say(msg("the pad is right"))
    if len(check.players) == 1:
        return say(msg("the pad is wrong"))
    return say(msg("the pad is wrong, but {player} wins all the same", player=wins))


def remarks_on(pad: Pad, say: Translate) -> Iterator[str]:
    """What is doubtful about a photographed pad."""
    for text in (*(doubt.text for doubt in pad.doubts), *pad.notes):
        yield _said(text, say)
