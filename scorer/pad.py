"""The score as people read it: the pad as a table, the reasons, the verdict; and as CSV."""

import csv
import io
import unicodedata
from collections.abc import Iterator, Sequence

from scorer.rules.catalogue import QUESTS
from scorer.rules.doubt import QUEEN, Doubt, IfDoubt
from scorer.rules.kingdom import Place
from scorer.rules.message import Message, Term, msg
from scorer.rules.score import PlayerScore, Score
from scorer.texts import Translate

ROW_NAMES: dict[str, Message] = {
    "characters_base": msg("Characters"),
    "characters_bonus": msg("Characters, bonus"),
    "coins": msg("Coins"),
    "wealth": msg("Wealth"),
    "resources": msg("Resources"),
    "wheat": msg("Wheat"),
    "forest": msg("Forest"),
    "lake": msg("Lake"),
    "grassland": msg("Grassland"),
    "swamp": msg("Swamp"),
    "mine": msg("Mine"),
    "town": msg("Town"),
    "territory_buildings": msg("Territory buildings"),
    "church": msg("Church"),
    "towers": msg("Towers"),
    "knights": msg("Knights"),
    "buildings": msg("Buildings"),
    "buildings_total": msg("Buildings"),
    "total": msg("Total"),
}
WINNER, HOST = "★", "♛"
# A doubt that leaves more totals open than this is told as a range.
MAX_TOTALS_NAMED = 3


def row_name(row: str, say: Translate) -> str:
    """The name of a pad row, as the book of that language prints it."""
    if row in ROW_NAMES:
        return say(ROW_NAMES[row])
    tile = row.partition(":")[2]
    if tile.isdigit():
        return say(msg("Quest {number}", number=tile))
    quest = QUESTS[tile]
    name = say(Term(quest.name))
    return _colon(name, say(Term(quest.terrains[0])), say) if len(quest.terrains) == 1 else name


def _colon(name: str, value: object, say: Translate) -> str:
    """A name and what is said of it, with the colon that the language writes."""
    return say(msg("{name}: {value}", name=name, value=value))


def _width(text: str) -> int:
    """Columns a text takes on a terminal: wide characters take two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def pad_text(score: Score, say: Translate) -> str:
    """The filled pad: players as columns, rows as in the book, the winner and the Queen's host marked."""
    table = [["", *(heading(player, score) for player in score.players)]]
    table += [[row_name(row, say), *(str(p.rows[row]) for p in score.players)] for row in score.players[0].rows]
    table.append([row_name("total", say), *(str(p.total) for p in score.players)])
    return table_text(table)


def table_text(table: Sequence[Sequence[str]]) -> str:
    """A ruled table: the first row a heading, the last one a sum, the first column to the left."""
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]

    def line(left: str, middle: str, right: str) -> str:
        return left + middle.join("─" * (width + 2) for width in widths) + right

    def cells(row: Sequence[str]) -> str:
        first = row[0] + " " * (widths[0] - _width(row[0]))
        others = [" " * (width - _width(text)) + text for text, width in zip(row[1:], widths[1:], strict=True)]
        return f"│ {' │ '.join([first, *others])} │"

    rule = line("├", "┼", "┤")
    body = [cells(row) for row in table]
    return "\n".join([line("┌", "┬", "┐"), body[0], rule, *body[1:-1], rule, body[-1], line("└", "┴", "┘")])


def heading(player: PlayerScore, score: Score) -> str:
    """The player's name, with a star for the winner of a table and the Queen where she is."""
    won = len(score.players) > 1 and player.player in score.winners
    return f"{f'{WINNER} ' if won else ''}{player.player}{f' {HOST}' if player.hosts_queen else ''}"


def verdict(score: Score, say: Translate) -> str:
    """Who wins, and in a tie why."""
    winners = [player for player in score.players if player.player in score.winners]
    first = winners[0]
    names = ", ".join(player.player for player in winners)
    if len(score.players) == 1:
        return say(msg("{player}: {total} points", player=first.player, total=first.total))
    values = {"player": names, "total": first.total, "squares": first.largest_territory, "crowns": first.crowns}
    return say(Message(_VERDICTS[score.decided_by].template, values))


_VERDICTS: dict[str, Message] = {
    "total": msg("{player} wins with {total} points"),
    "queen": msg("{player} wins the tie at {total} points: the Queen is in this kingdom"),
    "largest_territory": msg("{player} wins the tie at {total} points: largest territory, {squares} squares"),
    "crowns": msg("{player} wins the tie at {total} points: most crowns, {crowns}"),
    "shared": msg("{player} share the victory with {total} points"),
}


def territory_sums(player: PlayerScore) -> list[tuple[tuple[Place, ...], str]]:
    """The squares of every territory and its sum, as it is written into a picture."""
    return [(area.squares, f"{area.size} x {area.crowns} = {area.points}") for area in player.territories]


def explanation(player: PlayerScore, say: Translate) -> Iterator[str]:
    """Every territory and building with its sum."""
    yield _colon(player.player, player.total, say)
    for row, points in player.rows.items():
        items = [item for item in player.explanation if item.row == row]
        if items:
            yield "  " + _colon(row_name(row, say), points, say)
        for item in items:
            squares = " ".join(f"{r},{c}" for r, c in item.squares)
            yield f"    {say(item.reason)}" + (f"  [{squares}]" if squares else "")
    if player.queen_choices:
        choices = ", ".join(row_name(row, say) for row in player.queen_choices)
        yield "  " + say(msg("The Queen may choose among equally large territories: {rows}", rows=choices))


def remarks(score: Score, say: Translate) -> Iterator[str]:
    """Problems and doubts in words, each once."""
    lines: dict[str, None] = {}
    for player in score.players:
        effects = {other.doubt: other for other in player.if_doubts}
        for problem in player.problems:
            text = say(problem.text)
            if problem.square:
                text = _colon(f"{problem.square[0]},{problem.square[1]}", text, say)
            lines[text if problem.code in TABLE_PROBLEMS else _of(player, text, score, say)] = None
        for number, doubt in enumerate(player.doubts):
            lines[_of(player, _doubt_text(doubt, effects.get(number), player, say), score, say)] = None
    yield from lines


def _of(player: PlayerScore, text: str, score: Score, say: Translate) -> str:
    return _colon(player.player, text, say) if len(score.players) > 1 else text


# Problems of the table as a whole stand with every player they concern; once is enough for a reader.
TABLE_PROBLEMS = frozenset({"too-many", "table-box", "quest-count", "bonus-not-in-rules"})


def _doubt_text(doubt: Doubt, other: IfDoubt | None, player: PlayerScore, say: Translate) -> str:
    text = say(doubt.text)
    if other is None:
        return text
    cells: dict[int, list[str]] = {}
    for alternative in other.alternatives:
        if alternative.total != player.total:
            choice = say(msg("the Queen")) if alternative.choice == QUEEN else alternative.choice
            cells.setdefault(alternative.total, []).append(choice)
    if not cells:
        return _colon(text, say(msg("it makes no difference")), say)
    if len(cells) <= MAX_TOTALS_NAMED:
        others = ", ".join(
            say(msg("{total} with {what}", total=total, what="/".join(cells[total]))) for total in sorted(cells)
        )
    else:
        others = f"{min(cells)}–{max(cells)}"
    winner = msg("the winner could change") if other.winner_changes else msg("the winner stays")
    effect = say(msg("{total}, or {others}; {winner}", total=player.total, others=others, winner=say(winner)))
    return f"{text} ({effect})"


def pad_csv(score: Score) -> str:
    """The pad file: `row,<player>...`, a line for each row by its id, last the total."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["row", *(player.player for player in score.players)])
    for row in score.players[0].rows:
        writer.writerow([row, *(player.rows[row] for player in score.players)])
    writer.writerow(["total", *(player.total for player in score.players)])
    return out.getvalue()
