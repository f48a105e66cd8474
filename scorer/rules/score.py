"""The score of a table: every player's pad with its reasons, the winner, and what a doubt could change."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .catalogue import BUILDINGS, domino_kinds
from .doubt import Doubt
from .estate import Estate, Item
from .kingdom import Kingdom, Place, Square
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
class Otherwise:
    """What an alternative would make of the score."""

    choice: str
    total: int
    winner_changes: bool


@dataclass(frozen=True)
class IfDoubt:
    """For one doubt: all other totals; `total` is the one furthest from what was scored."""

    doubt: int
    total: int
    winner_changes: bool
    alternatives: tuple[Otherwise, ...]


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


def score(kingdoms: Iterable[Kingdom], *, doubts: Sequence[Sequence[Doubt]] = (), whole: bool = True) -> Score:
    """Scores the kingdoms of one table.

    `doubts` are those of a reading, by player; unknown squares and the Queen's host are added to them.
    `whole` says that these are all kingdoms of the table, so that the Queen's host may be derived.
    """
    table = _named(kingdoms)
    if not table:
        raise ValueError("there is no kingdom to score")
    rules = rules_of(table)
    kept, foreign = zip(*(only_what_counts(kingdom, rules) for kingdom in table), strict=True)
    host = hosting(kept, rules, whole)
    players, ranking = _score(kept, rules, host)
    all_doubts = [
        [*given, *_unknown_squares(kingdom, rules), *_queen_doubts(i, kept, host, whole)]
        for i, (kingdom, given) in enumerate(zip(kept, _padded(doubts, len(kept)), strict=True))
    ]
    checks = (foreign, host.problems, settings_problems(table, rules), problems_of(kept, rules))
    finished = tuple(
        replace(
            player,
            problems=tuple(problem for check in checks for problem in check[i]),
            doubts=tuple(all_doubts[i]),
            if_doubts=tuple(_if_doubts(i, all_doubts[i], kept, rules, host, whole, players, ranking)),
        )
        for i, player in enumerate(players)
    )
    return Score(rules.id, finished, ranking.places, ranking.decided_by, tuple(table))


def _padded(doubts: Sequence[Sequence[Doubt]], length: int) -> list[Sequence[Doubt]]:
    return [*doubts, *[()] * (length - len(doubts))]


def _named(kingdoms: Iterable[Kingdom]) -> list[Kingdom]:
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


def _score(kingdoms: Sequence[Kingdom], rules: Rules, host: Hosting) -> tuple[list[PlayerScore], Ranking]:
    players = [
        score_kingdom(kingdom, rules, queen, abducted)
        for kingdom, queen, abducted in zip(kingdoms, host.hosts, host.abducted, strict=True)
    ]
    return players, rank(players, rules.tie_break)


def _unknown_squares(kingdom: Kingdom, rules: Rules) -> Iterator[Doubt]:
    for place, square in kingdom.squares():
        if square.doubtful:
            text = msg("square {row},{column} is not known", row=place[0], column=place[1])
            yield Doubt("unknown-square", text, place, square_text(square), _possible(square, kingdom, rules))


def _possible(square: Square, kingdom: Kingdom, rules: Rules) -> tuple[str, ...]:
    """The cells that an unknown square may hold, with what stands on it."""
    faces = sorted({face for kind in domino_kinds(rules.dominoes) for face in kind})
    buildings: list[Square] = []
    if "buildings" in rules.parts:
        buildings = [replace(square, terrain="town", unknown=False, building=name) for name in BUILDINGS]
    if square.building is not None:
        choices = [replace(square, building=None, turned=False), *buildings]
    else:
        bare = [parse_square(face) for face in faces]
        choices = [
            replace(square, unknown=False, terrain=face.terrain, crowns=face.crowns)
            for face in bare
            if square.terrain in (None, face.terrain)
        ]
        if square.unknown:
            choices += [*buildings, replace(square, unknown=False)]
            if not kingdom.castles:
                choices.append(replace(square, unknown=False, castle=True))
    return tuple(map(square_text, choices))


def _queen_doubts(i: int, kingdoms: Sequence[Kingdom], host: Hosting, whole: bool) -> Iterator[Doubt]:
    if i not in host.between:
        return
    names = tuple(kingdoms[j].name for j in host.between)
    if not whole or len(kingdoms) == 1:
        text = msg("nothing says whether {player} hosts the Queen: scored without her", player=kingdoms[i].name)
        yield Doubt("queen-unknown", text, between=names, needed=False)
    else:
        text = msg("the Queen may be with {players}: say who hosts her", players=", ".join(names))
        yield Doubt("queen-host", text, between=names)


def _if_doubts(
    i: int,
    doubts: Sequence[Doubt],
    kingdoms: Sequence[Kingdom],
    rules: Rules,
    host: Hosting,
    whole: bool,
    players: Sequence[PlayerScore],
    ranking: Ranking,
) -> Iterator[IfDoubt]:
    for number, doubt in enumerate(doubts[:MAX_DOUBTS_TRIED]):
        others: list[Otherwise] = []
        for choice, changed, hosts in _worlds(i, doubt, kingdoms, rules, host, whole):
            scored, other = _score(changed, rules, hosts)
            others.append(Otherwise(choice, scored[i].total, set(other.places[0]) != set(ranking.places[0])))
        if others:
            furthest = max(others, key=lambda other: abs(other.total - players[i].total))
            yield IfDoubt(number, furthest.total, any(other.winner_changes for other in others), tuple(others))


def _worlds(
    i: int, doubt: Doubt, kingdoms: Sequence[Kingdom], rules: Rules, host: Hosting, whole: bool
) -> Iterator[tuple[str, list[Kingdom], Hosting]]:
    """The tables that there would be if the doubt were settled another way than scored."""
    if doubt.between:
        yield "queen", list(kingdoms), replace(host, hosts=[j == i for j in range(len(kingdoms))])
    for cell in doubt.alternatives:
        assert doubt.square is not None
        changed = list(kingdoms)
        changed[i] = kingdoms[i].with_square(doubt.square, parse_square(cell))
        yield cell, changed, hosting(changed, rules, whole)


def _squares(places: Iterable[Place]) -> list[list[int]]:
    return [list(place) for place in places]


def as_json(result: Score) -> dict[str, Any]:
    """The `score/1` form."""
    return {
        "format": "score/1",
        "rules": result.rules,
        "players": [_player_json(player) for player in result.players],
        "ranking": result.ranking,
        "decided_by": result.decided_by,
    }


def _player_json(player: PlayerScore) -> dict[str, Any]:
    return {
        "player": player.player,
        "source": player.source,
        "total": player.total,
        "rows": player.rows,
        "territories": [
            {**territory._asdict(), "squares": _squares(territory.squares)} for territory in player.territories
        ],
        "largest_territory": player.largest_territory,
        "crowns": player.crowns,
        "hosts_queen": player.hosts_queen,
        "queen_choices": list(player.queen_choices),
        "explanation": [
            {"row": item.row, "points": item.points, "text": str(item.text), "squares": _squares(item.squares)}
            for item in player.explanation
        ],
        "problems": [
            {"code": p.code, "message": p.message, "square": None if p.square is None else list(p.square)}
            for p in player.problems
        ],
        "doubts": [_doubt_json(doubt) for doubt in player.doubts],
        "if_doubts": [
            {
                "doubt": other.doubt,
                "total": other.total,
                "winner_changes": other.winner_changes,
                "alternatives": [
                    {"or": o.choice, "total": o.total, "winner_changes": o.winner_changes} for o in other.alternatives
                ],
            }
            for other in player.if_doubts
        ],
    }


def _doubt_json(doubt: Doubt) -> dict[str, Any]:
    form: dict[str, Any] = {"code": doubt.code, "why": doubt.why}
    if doubt.square is not None:
        form |= {"square": list(doubt.square), "read": doubt.read}
    if len(doubt.alternatives) == 1:
        form["or"] = doubt.alternatives[0]
    if doubt.confidence is not None:
        form["confidence"] = doubt.confidence
    if doubt.between:
        form["between"] = list(doubt.between)
    return form
