"""The rows of the pad: one small function each, opened by the rule it follows."""

from collections.abc import Callable, Iterable, Iterator

from .catalogue import TERRAINS, Building
from .court import characters_base, characters_bonus, resources
from .estate import Estate, Item
from .message import Message, Term, msg
from .quests import quest_items

COINS_PER_POINT = 3

Row = Callable[[Estate, str], Iterable[Item]]


def coins(estate: Estate, row: str) -> Iterator[Item]:
    # One point for every 3 of their value, rounded down; purse and bank account together.
    value = (estate.kingdom.coins or 0) + (estate.kingdom.account or 0)
    if value:
        points = value // COINS_PER_POINT
        yield Item(row, points, msg("coins: {coins} ÷ 3 = {points}", coins=value, points=points))


def terrain(estate: Estate, row: str) -> Iterator[Item]:
    # For each territory: squares times crowns; no crown, no points.
    for territory in estate.territories:
        if territory.terrain == row:
            _, size, crowns, queen, points, squares = territory
            if queen:
                text = msg(
                    "{terrain}: {size} × ({crowns} + Queen) = {points}",
                    terrain=Term(row),
                    size=size,
                    crowns=crowns - 1,
                    points=points,
                )
            else:
                text = msg(
                    "{terrain}: {size} × {crowns} = {points}",
                    terrain=Term(row),
                    size=size,
                    crowns=crowns,
                    points=points,
                )
            yield Item(row, points, text, squares)
            covered = tuple(place for place in squares if estate.kingdom.at(place).covers) if estate.furnished else ()
            if covered:
                yield Item(row, 0, msg("squares with a covered crown: {count}", count=len(covered)), covered)
    if row == "town":
        yield from crown_buildings(estate)


def crown_buildings(estate: Estate) -> Iterator[Item]:
    # Crowns of a town territory come from buildings: each Queen's Tower has one.
    for place, building, turned in estate.buildings:
        if building.crowns:
            name = Term(building.name)
            text = (
                msg("{building}: turned over", building=name)
                if turned
                else msg("{building}: crowns for its town, {count}", building=name, count=building.crowns)
            )
            yield Item("town", 0, text, (place,))


def worth(estate: Estate, building: Building) -> tuple[int, Message]:
    """What one building tile scores, and why."""
    name = Term(building.name)
    if building.per_territory:
        # 2 for each separate territory of its terrain, whatever its size and crowns; the Church counts towns,
        # built on or not.
        count = sum(territory.terrain == building.per_territory for territory in estate.territories)
        points = count * building.points
        return points, msg(
            "{building}: {count} × {terrain}, {each} each = {points}",
            building=name,
            count=count,
            terrain=Term(building.per_territory),
            each=building.points,
            points=points,
        )
    if building.per_tower:
        # Travelling Castle: 1 for each tower owned.
        text = msg("{building}: towers owned, {count}", building=name, count=estate.towers)
        return building.per_tower * estate.towers, text
    if building.per_knight:
        # Training Camp: 1 for each knight owned, placed or in the guard. Court warriors count as knights.
        text = msg("{building}: knights owned, {count}", building=name, count=estate.knights)
        return building.per_knight * estate.knights, text
    # Flat points: Statue 5; Small Tavern, Guardtower, Fortified Castle 3; Big Tavern, both Safes 2.
    return building.flat, msg("{building}: {points}", building=name, points=building.flat)


def buildings(estate: Estate, row: str) -> Iterator[Item]:
    # Every building tile scores on its own: two Sawmills score twice. Turned grey it scores nothing.
    for place, building, turned in estate.buildings:
        if building.row == row or (row == "buildings_total" and building.row):
            if turned:
                yield Item(row, 0, msg("{building}: turned over", building=Term(building.name)), (place,))
            else:
                yield Item(row, *worth(estate, building), (place,))


ROWS: dict[str, Row] = {
    "characters_base": characters_base,
    "characters_bonus": characters_bonus,
    "coins": coins,
    "wealth": coins,
    "resources": resources,
    **dict.fromkeys(TERRAINS, terrain),
    **dict.fromkeys(("territory_buildings", "church", "towers", "knights", "buildings"), buildings),
    # The XXL pad adds the Queendomino building rows up.
    "buildings_total": buildings,
}


def row_items(estate: Estate, row: str) -> Iterable[Item]:
    """The reasons for the points of one row of the pad."""
    return ROWS.get(row, quest_items)(estate, row)
