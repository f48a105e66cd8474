"""The score of a table: every player's pad with its reasons, the winner, and what a doubt could change."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from .catalogue import BUILDINGS
from .doubt import QUEEN, Doubt, IfDoubt, Otherwise
from .estate import Estate, Item
from .kingdom import Kingdom, Square
from .message import msg
from .notation import parse_square, square_text
from .play import Rules, only_what_counts, rules_of, settings_problems
from .possible import problems_of
from .problem import Problem
from .queen import Hosting, hosting
from .ranking import Ranking, rank
from .rows import row_items
from .territory import Territory

# Each alternative of each doubt scores the table anew; a kingdom with more unknown squares is a blank sheet.
MAX_DOUBTS_TRIED = 40


@dataclass(frozen=True)
class PlayerScore:
    """One party's pad. Field names are those of the JSON form."""

    player: str
    source: str
    total: int
    rows: dict[str, int]
    territories: tuple[Territory, ...]
    largest_territory: int
    queen_choices: tuple[str, ...]
    crowns: int
    hosts_queen: bool
    wins_queen_ties: bool
    explanation: tuple[Item, ...]
    problems: tuple[Problem, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    if_doubts: tuple[IfDoubt, ...] = ()


@dataclass(frozen=True)
class Score:
    """The result of a table."""

    rules: str
    players: tuple[PlayerScore, ...]
    ranking: list[list[str]]
    decided_by: str
    kingdoms: tuple[Kingdom, ...] = field(default=(), repr=False)

    @property
    def format(self) -> str:
        return "score/1"

    @property
    def winners(self) -> list[str]:
        return self.ranking[0]

    @property
    def unknown(self) -> bool:
        """Something needed for the score is not known."""
        return any(doubt.needed for player in self.players for doubt in player.doubts)

    @property
    def impossible(self) -> bool:
        """Some kingdom cannot be as it is."""
        return any(player.problems for player in self.players)


@dataclass(frozen=True)
class Table:
    """Kingdoms that are scored together; `whole`: all kingdoms of the game are among them."""

    kingdoms: tuple[Kingdom, ...]
    rules: Rules
    whole: bool

    def hosting(self) -> Hosting:
        return hosting(self.kingdoms, self.rules, self.whole)

    def pads(self, host: Hosting) -> tuple[list[PlayerScore], Ranking]:
        players = [
            score_kingdom(kingdom, self.rules, queen, abducted)
            for kingdom, queen, abducted in zip(self.kingdoms, host.hosts, host.abducted, strict=True)
        ]
        return players, rank(players, self.rules.tie_break)

    def with_square(self, i: int, doubt: Doubt, cell: str) -> "Table":
        """The same table where a doubtful square of player `i` is another one."""
        assert doubt.square is not None
        changed = self.kingdoms[i].with_square(doubt.square, parse_square(cell))
        return replace(self, kingdoms=(*self.kingdoms[:i], changed, *self.kingdoms[i + 1 :]))


def score(kingdoms: Iterable[Kingdom], *, doubts: Sequence[Sequence[Doubt]] = (), whole: bool = True) -> Score:
    """Scores the kingdoms of one table.

    `doubts` are those of a reading, by player; unknown squares and the Queen's host are added to them.
    `whole` says that these are all kingdoms of the table, so that the Queen's host may be derived.
    """
    stated = named(kingdoms)
    if not stated:
        raise ValueError("there is no kingdom to score")
    rules = rules_of(stated)
    kept, foreign = zip(*(only_what_counts(kingdom, rules) for kingdom in stated), strict=True)
    table = Table(kept, rules, whole)
    host = table.hosting()
    players, ranking = table.pads(host)
    checks = (foreign, host.problems, settings_problems(stated, rules), problems_of(kept, rules))
    finished = []
    for i, player in enumerate(players):
        given = doubts[i] if i < len(doubts) else ()
        found = (*given, *_unknown_squares(kept[i], rules), *_queen_doubts(i, table, host))
        problems = tuple(problem for check in checks for problem in check[i])
        effects = tuple(_effects(i, found, table, host, player.total, ranking))
        finished.append(replace(player, problems=problems, doubts=found, if_doubts=effects))
    return Score(rules.id, tuple(finished), ranking.places, ranking.decided_by, tuple(stated))


def named(kingdoms: Iterable[Kingdom]) -> list[Kingdom]:
    """Players of one table need different names: the second White becomes White 2."""
    table: list[Kingdom] = []
    taken: set[str] = set()
    for kingdom in kingdoms:
        name, number = kingdom.name, 2
        while name in taken:
            name, number = f"{kingdom.name} {number}", number + 1
        taken.add(name)
        table.append(kingdom if name == kingdom.player else replace(kingdom, player=name))
    return table


def score_kingdom(kingdom: Kingdom, rules: Rules, queen: bool = False, abducted: bool = False) -> PlayerScore:
    """One pad, by rules that know everything in the kingdom; `queen`: its owner hosts her."""
    estate = Estate(kingdom, rules, queen)
    rows: dict[str, int] = {}
    items: list[Item] = []
    for row in rules.pad:
        reasons = list(row_items(estate, row))
        items += reasons
        rows[row] = sum([item.points for item in reasons])
    return PlayerScore(
        player=kingdom.name,
        source=kingdom.source,
        total=sum(rows.values()),
        rows=rows,
        territories=tuple(estate.territories),
        largest_territory=estate.largest_territory,
        queen_choices=tuple(estate.queen_choices),
        crowns=estate.crowns,
        hosts_queen=queen,
        wins_queen_ties=queen or (abducted and "abducted-queen-breaks-ties" in rules.rulings),
        explanation=tuple(items),
    )


def _unknown_squares(kingdom: Kingdom, rules: Rules) -> Iterator[Doubt]:
    for place, square in kingdom.squares():
        if square.doubtful:
            text = msg("square {row},{column} is not known", row=place[0], column=place[1])
            cells = tuple(map(square_text, _choices(square, kingdom, rules)))
            yield Doubt("unknown-square", text, place, square_text(square), cells)


def _choices(square: Square, kingdom: Kingdom, rules: Rules) -> Iterator[Square]:
    """What an unknown square may be, with the pieces that stand on it."""
    built = BUILDINGS if "buildings" in rules.parts else ()
    if square.building is not None:
        yield replace(square, building=None, turned=False)
    else:
        for face in map(parse_square, sorted(rules.faces)):
            if square.terrain in (None, face.terrain):
                yield replace(square, unknown=False, terrain=face.terrain, crowns=face.crowns)
    if square.building is not None or square.unknown:
        for name in built:
            yield replace(square, unknown=False, terrain="town", building=name)
    if square.unknown:
        yield replace(square, unknown=False)
        if not kingdom.castles:
            yield replace(square, unknown=False, castle=True)


def _queen_doubts(i: int, table: Table, host: Hosting) -> Iterator[Doubt]:
    if i not in host.between:
        return
    names = tuple(table.kingdoms[j].name for j in host.between)
    if not table.whole or len(table.kingdoms) == 1:
        text = msg("nothing says whether {player} hosts the Queen: scored without her", player=table.kingdoms[i].name)
        yield Doubt("queen-unknown", text, between=names, needed=False)
    else:
        text = msg("the Queen may be with {players}: say who hosts her", players=", ".join(names))
        yield Doubt("queen-host", text, between=names)


def _effects(
    i: int, doubts: Sequence[Doubt], table: Table, host: Hosting, total: int, ranking: Ranking
) -> Iterator[IfDoubt]:
    """What each doubt of player `i`, settled another way than scored, would make of his total and the winner."""
    for number, doubt in enumerate(doubts[:MAX_DOUBTS_TRIED]):
        others = []
        for choice, other, hosts in _worlds(i, doubt, table, host):
            players, places = other.pads(hosts)
            others.append(Otherwise(choice, players[i].total, set(places.places[0]) != set(ranking.places[0])))
        if others:
            furthest = max(others, key=lambda other: abs(other.total - total))
            yield IfDoubt(number, furthest.total, any(other.winner_changes for other in others), tuple(others))


def _worlds(i: int, doubt: Doubt, table: Table, host: Hosting) -> Iterator[tuple[str, Table, Hosting]]:
    """The tables that there would be if the doubt were settled another way than scored."""
    if doubt.between:
        yield QUEEN, table, replace(host, hosts=[j == i for j in range(len(table.kingdoms))])
    for cell in doubt.alternatives:
        other = table.with_square(i, doubt, cell)
        yield cell, other, other.hosting()
