"""Helpers during play: what a knight collects, what a building and the dragon cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from .estate import Estate
from .kingdom import UNKNOWN, Kingdom, Place, beside
from .message import Message, Term, msg
from .play import Rules, only_what_counts, rules_of
from .queen import stated

KNIGHTS_A_TURN = 2
SALES_DISCOUNT = 2
QUEENS_DISCOUNT = 1
DRAGON_PRICE = 1


@dataclass(frozen=True)
class Tax:
    """The coins of one turn's knights, the reasons, and what is not known but could change them."""

    coins: int
    reasons: tuple[Message, ...]
    doubts: tuple[Message, ...] = ()


def tax(kingdom: Kingdom, places: Sequence[Place], rules: Rules | None = None) -> Tax:
    """What knights placed on these squares of the domino just laid collect now.

    `rules` are those of the table, by default what the kingdom itself states.
    """
    rules = rules or rules_of([kingdom])
    if "knights" not in rules.parts:
        raise ValueError(f"{rules.name} has no knights")
    if not 1 <= len(set(places)) == len(places) <= KNIGHTS_A_TURN:
        raise ValueError("a turn places one or two knights, one per square")
    if len(places) == KNIGHTS_A_TURN and sum(abs(a - b) for a, b in zip(*places, strict=True)) != 1:
        raise ValueError("two knights stand on the two squares of the domino just laid, side by side")
    kingdom, _ = only_what_counts(kingdom, rules)
    estate = Estate(kingdom, rules, queen=False)
    coins: list[tuple[int, Message]] = []
    taxed = {*places}
    for number, place in enumerate(places):
        # A knight earns coins equal to the size of its territory.
        territory = next((group for group in estate.territories if place in group.squares), None)
        if territory is not None:
            text = msg("{terrain}: {coins}", terrain=Term(territory.terrain), coins=territory.size)
            coins.append((territory.size, text))
            taxed |= {*territory.squares}
        elif not kingdom.at(place).unknown:
            raise ValueError(f"{place[0]},{place[1]} is not a terrain square of the kingdom")
        # Each Safe adds its coins for each knight placed; by a switch only once a turn.
        if number == 0 or "safe-pays-once" not in rules.rulings:
            coins += _safes(estate, rules, hosts_queen=stated(kingdom) == "yes")
    unknown = tuple(
        msg("square {row},{column} is not known", row=place[0], column=place[1])
        for place, square in kingdom.squares()
        if square.building == UNKNOWN or (square.unknown and taxed & {place, *beside(place)})
    )
    return Tax(sum(amount for amount, _ in coins), tuple(text for _, text in coins), unknown)


def _safes(estate: Estate, rules: Rules, hosts_queen: bool) -> list[tuple[int, Message]]:
    paid = []
    for _, building, turned in estate.buildings:
        if turned:
            continue
        if building.tax == "knights":
            # A coin per knight owned, kingdom and guard; Court warriors too, no knight of the cemetery.
            amount = estate.knights
        elif building.tax == "towers":
            # A coin per tower owned; in XXXL one more for the Queen's host.
            amount = estate.towers + (hosts_queen and "events" in rules.parts)
        else:
            continue
        paid.append((amount, msg("{building}: {coins}", building=Term(building.name), coins=amount)))
    return paid


def building_price(printed: int, *, hosts_queen: bool = False, sales: bool = False) -> int:
    """A building costs what its place on the builders' board says; the Queen's host pays 1 less.

    During Sales buildings cost 2 less, never below 0.
    """
    return max(0, printed - hosts_queen * QUEENS_DISCOUNT - sales * SALES_DISCOUNT)


def dragon_price(*, in_cave: bool = True, hosts_queen: bool = False, fairies: bool = False) -> int | None:
    """The dragon costs 1 coin, only while it is in its cave and only for players who do not host the Queen.

    None: it is not to be had. In the fairies' round no dragon is.
    """
    return DRAGON_PRICE if in_cave and not hosts_queen and not fairies else None
