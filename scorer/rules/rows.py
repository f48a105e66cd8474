"""The rows of the pad: one small function each, opened by the rule it follows."""

from collections.abc import Callable, Iterable, Iterator

from .catalogue import QUESTS, Terrain
from .court import characters_base, characters_bonus, resources
from .estate import Estate, Item
from .message import Term, msg
from .quests import quest_items

COINS_PER_POINT = 3

Row = Callable[[Estate], Iterable[Item]]


def coins(estate: Estate, row: str = "coins") -> Iterator[Item]:
    # One point for every 3 of their value, rounded down; purse and bank account together.
    value = (estate.kingdom.coins or 0) + (estate.kingdom.account or 0)
    if value:
        points = value // COINS_PER_POINT
        yield Item(row, points, msg("{coins} coins ÷ 3 = {points}", coins=value, points=points))


def wealth(estate: Estate) -> Iterator[Item]:
    return coins(estate, "wealth")


def terrain(estate: Estate, kind: Terrain) -> Iterator[Item]:
    # For each territory: squares times crowns; no crown, no points.
    for territory in estate.territories:
        if territory.terrain == kind:
            _, size, crowns, queen, points, squares = territory
            if queen:
                text = msg(
                    "{terrain}: {size} × ({crowns} + Queen) = {points}",
                    terrain=Term(kind),
                    size=size,
                    crowns=crowns - 1,
                    points=points,
                )
            else:
                text = msg(
                    "{terrain}: {size} × {crowns} = {points}",
                    terrain=Term(kind),
                    size=size,
                    crowns=crowns,
                    points=points,
                )
            yield Item(kind, points, text, squares)


def territory_buildings(estate: Estate, row: str = "territory_buildings") -> Iterator[Item]:
    # 2 for each separate territory of their terrain, whatever its size and crowns. Every building tile
    # scores on its own: two Sawmills score twice.
    for place, building in estate.buildings:
        if building.row == row:
            count = sum(territory.terrain == building.per_territory for territory in estate.territories)
            yield Item(
                row,
                count * building.points,
                msg(
                    "{building}: {count} × {terrain}, {each} each = {points}",
                    building=Term(building.name),
                    count=count,
                    terrain=Term(building.per_territory),
                    each=building.points,
                    points=count * building.points,
                ),
                (place,),
            )


def church(estate: Estate) -> Iterator[Item]:
    # 2 for each separate town territory, built on or not.
    return territory_buildings(estate, "church")


def towers(estate: Estate) -> Iterator[Item]:
    # Travelling Castle: 1 for each tower owned.
    for place, building in estate.buildings:
        if building.per_tower:
            points = building.per_tower * estate.towers
            text = msg("{building}: {count} towers", building=Term(building.name), count=estate.towers)
            yield Item("towers", points, text, (place,))


def knights(estate: Estate) -> Iterator[Item]:
    # Training Camp: 1 for each knight owned, placed or in the guard. Court warriors count as knights.
    for place, building in estate.buildings:
        if building.per_knight:
            points = building.per_knight * estate.knights
            text = msg("{building}: {count} knights", building=Term(building.name), count=estate.knights)
            yield Item("knights", points, text, (place,))


def buildings(estate: Estate) -> Iterator[Item]:
    # Flat points: Statue 5; Small Tavern, Guardtower, Fortified Castle 3; Big Tavern, both Safes 2.
    for place, building in estate.buildings:
        if building.flat:
            text = msg("{building}: {points}", building=Term(building.name), points=building.flat)
            yield Item("buildings", building.flat, text, (place,))


def buildings_total(estate: Estate) -> Iterator[Item]:
    # The XXL pad adds the Queendomino building rows up.
    for row in (territory_buildings, church, towers, knights, buildings):
        for item in row(estate):
            yield item._replace(row="buildings_total")


ROWS: dict[str, Row] = {
    "characters_base": characters_base,
    "characters_bonus": characters_bonus,
    "coins": coins,
    "wealth": wealth,
    "resources": resources,
    "territory_buildings": territory_buildings,
    "church": church,
    "towers": towers,
    "knights": knights,
    "buildings": buildings,
    "buildings_total": buildings_total,
}


def row_items(estate: Estate, row: str) -> Iterable[Item]:
    """The reasons for the points of one row of the pad."""
    if row in ROWS:
        return ROWS[row](estate)
    kind, _, quest = row.partition(":")
    if quest:
        return quest_items(estate, QUESTS[quest], row)
    return terrain(estate, kind)  # type: ignore[arg-type]
