"""The Court: characters, their bonuses for the eight squares around them, and resources."""

from collections.abc import Iterator

from .catalogue import CHARACTERS, RESOURCES
from .estate import Estate, Item
from .kingdom import Square
from .message import Term, msg

RESOURCES_PER_POINT = 2


def characters_base(estate: Estate, row: str) -> Iterator[Item]:
    # A character scores its base points; turned over it scores nothing.
    for place, square in estate.furnished:
        for tile in square.characters:
            character = CHARACTERS[tile]
            text = msg("{character}: {points}", character=Term(character.name), points=character.base)
            yield Item(row, character.base, text, (place,))


def characters_bonus(estate: Estate, row: str) -> Iterator[Item]:
    # A character scores its bonus for what lies on the eight squares around it.
    for place, square in estate.furnished:
        for tile in square.characters:
            character = CHARACTERS[tile]
            if character.bonus:
                count = _around(estate, estate.kingdom.around(place), character.counts)
                text = msg(
                    "{character}: {count} × {counts} around, {each} each = {points}",
                    character=Term(character.name),
                    count=count,
                    counts=Term(_called(character.counts)),
                    each=character.bonus,
                    points=count * character.bonus,
                )
                yield Item(row, count * character.bonus, text, (place,))


def _called(what: str) -> str:
    return RESOURCES[what].name if what in RESOURCES else what


def _around(estate: Estate, squares: tuple[Square, ...], what: str) -> int:
    if what == "crown":
        # The Court's King counts crowns, not squares: a three-crown mine is 3. Covered crowns count nowhere.
        return estate.crowned(squares)
    if what == "character":
        return sum(len(square.characters) for square in squares)
    if what == "warrior":
        # The Captain counts Court warriors only; black knights around him are a switch.
        knights = "captain-counts-knights" in estate.rules.rulings
        return sum(square.warriors + (square.knight if knights else 0) for square in squares)
    if what == "resource":
        return sum(len(square.resources) for square in squares)
    return sum(square.resources.count(what) for square in squares)


def resources(estate: Estate, row: str) -> Iterator[Item]:
    # One point for every 2 resources left, rounded down.
    places = tuple(place for place, square in estate.furnished if square.resources)
    count = sum(len(square.resources) for _, square in estate.furnished)
    if count:
        points = count // RESOURCES_PER_POINT
        yield Item(row, points, msg("resources: {count} ÷ 2 = {points}", count=count, points=points), places)
