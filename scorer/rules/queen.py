"""Who hosts the Queen: believed when stated, derived from a whole table where certain, else a doubt."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .estate import towers_owned
from .kingdom import Kingdom
from .message import msg
from .play import Rules
from .problem import Problem


@dataclass
class Hosting:
    """`hosts` and `abducted` by player; `between`: players of whom one may host her, nobody knows who."""

    hosts: list[bool]
    abducted: list[bool]
    between: tuple[int, ...] = ()
    problems: list[list[Problem]] = field(default_factory=list)


def stated(kingdom: Kingdom) -> str | None:
    """What a player says about the Queen; where she is seen on a square she is his."""
    seen = any(square.queen for _, square in kingdom.squares())
    if kingdom.queen == "abducted":
        return kingdom.queen
    return "yes" if seen else kingdom.queen


def hosting(kingdoms: Sequence[Kingdom], rules: Rules, whole: bool) -> Hosting:
    """`whole`: these are all kingdoms of the table, so that what is not stated may be derived."""
    words = [stated(kingdom) for kingdom in kingdoms]
    result = Hosting(
        [word == "yes" for word in words], [word == "abducted" for word in words], problems=[[] for _ in kingdoms]
    )
    if "queen" not in rules.parts:
        return Hosting([False for _ in kingdoms], [False for _ in kingdoms], problems=result.problems)
    silent = [i for i, word in enumerate(words) if word is None]
    _contradictions_within(kingdoms, result)
    if any(result.hosts) or any(result.abducted):
        if whole and len(kingdoms) > 1:
            _contradictions_with_towers(kingdoms, rules, result)
    elif not whole or len(kingdoms) == 1:
        # Nothing is derived from a single player.
        result.between = tuple(silent)
    else:
        _derive(kingdoms, rules, silent, result)
    return result


def _derive(kingdoms: Sequence[Kingdom], rules: Rules, silent: list[int], result: Hosting) -> None:
    towers = [towers_owned(kingdom, rules) for kingdom in kingdoms]
    if "events" in rules.parts:
        # Events fell towers and abduct the Queen, so the towers at the end prove nothing.
        fallen = [any(square.fallen for _, square in kingdom.squares()) for kingdom in kingdoms]
        result.between = tuple(i for i in silent if towers[i] or fallen[i])
        return
    # A player who builds a tower and then owns the most, or as many as the leader, takes her at once: so who
    # has strictly the most must have her, of several with the most it is one, and without towers nobody.
    most = max(towers)
    leaders = [i for i, count in enumerate(towers) if count == most > 0]
    candidates = [i for i in leaders if i in silent]
    if len(candidates) == 1:
        result.hosts[candidates[0]] = True
    elif candidates:
        result.between = tuple(candidates)
    else:
        names = ", ".join(kingdoms[i].name for i in leaders)
        if len(leaders) == 1:
            text = msg("{player} has the most towers and must host the Queen", player=names)
        else:
            text = msg("{players} have the most towers: one of them must host the Queen", players=names)
        for i in leaders:
            result.problems[i].append(Problem("queen-contradiction", text))


def _contradictions_within(kingdoms: Sequence[Kingdom], result: Hosting) -> None:
    hosts = sum(result.hosts)
    for i, kingdom in enumerate(kingdoms):
        seen = next((place for place, square in kingdom.squares() if square.queen), None)
        if seen and kingdom.queen in ("no", "abducted"):
            text = msg("the Queen stands in a kingdom that does not host her")
            result.problems[i].append(Problem("queen-contradiction", text, seen))
        if result.hosts[i] and (hosts > 1 or any(result.abducted)):
            text = msg("the Queen cannot be in two places")
            result.problems[i].append(Problem("queen-contradiction", text))


def _contradictions_with_towers(kingdoms: Sequence[Kingdom], rules: Rules, result: Hosting) -> None:
    if "events" in rules.parts:
        return
    towers = [towers_owned(kingdom, rules) for kingdom in kingdoms]
    for i, kingdom in enumerate(kingdoms):
        if result.hosts[i] and (towers[i] == 0 or towers[i] < max(towers)):
            text = msg("{player} hosts the Queen without having the most towers", player=kingdom.name)
            result.problems[i].append(Problem("queen-contradiction", text))
