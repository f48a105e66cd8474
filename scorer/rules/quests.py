"""The quests of Age of Giants and the bonuses of Kingdomino: one function for each kind of tile."""

from collections.abc import Callable, Iterator

from .catalogue import QUESTS, Quest
from .estate import Estate, Item
from .kingdom import Place
from .message import Term, msg

BLEAK_SIZE = 5
LINE = 3

Found = Iterator[tuple[Place, ...]]
"""The squares of each thing the quest pays for."""


def local_business(estate: Estate, quest: Quest) -> Found:
    # 5 for each matching square of the eight around the castle.
    kingdom = estate.kingdom
    if kingdom.castle:
        row, column = kingdom.castle
        for r in (row - 1, row, row + 1):
            for c in (column - 1, column, column + 1):
                if kingdom.at((r, c)).terrain in quest.terrains:
                    yield ((r, c),)


def corners(estate: Estate) -> list[Place]:
    """The corners of the kingdom's bounding box; in a single row or column some are the same."""
    if estate.kingdom.bounds is None:
        return []
    top, bottom, left, right = estate.kingdom.bounds
    return sorted({(top, left), (top, right), (bottom, left), (bottom, right)})


def four_corners(estate: Estate, quest: Quest) -> Found:
    # 5 for each matching square in a corner of the kingdom: of its bounding box; an empty corner scores nothing.
    for place in corners(estate):
        if estate.kingdom.at(place).terrain in quest.terrains:
            yield (place,)


def harmony(estate: Estate, quest: Quest) -> Found:
    # All size x size squares are laid, nothing discarded.
    kingdom = estate.kingdom
    size = estate.rules.size_of(kingdom)
    laid = tuple(place for place, square in kingdom.squares() if square.laid)
    if kingdom.extent == size and len(laid) == size * size:
        yield laid


def middle_kingdom(estate: Estate, quest: Quest) -> Found:
    # As many rows above the castle as below and as many columns left as right; gaps allowed.
    kingdom = estate.kingdom
    if kingdom.castle and kingdom.bounds:
        row, column = kingdom.castle
        top, bottom, left, right = kingdom.bounds
        if row - top == bottom - row and column - left == right - column:
            yield (kingdom.castle,)


def lost_corner(estate: Estate, quest: Quest) -> Found:
    # The castle stands in a corner of the bounding box.
    castle = estate.kingdom.castle
    if castle and castle in corners(estate):
        yield (castle,)


def crown_lines(estate: Estate, quest: Quest) -> Found:
    # 10 for each line of at least three squares with an uncovered crown, in a row, column or diagonal: a
    # maximal straight run scores once whatever its length.
    kingdom = estate.kingdom
    rulings = estate.rules.rulings
    built = "crown-lines-printed-only" not in rulings
    share = "crown-lines-share-one" in rulings
    crowned = {
        place
        for place, square in kingdom.squares()
        if (square.uncovered if built else (square.crowns or 0) > square.covers)
    }
    for r, c in sorted(crowned):
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if (r - dr, c - dc) in crowned:
                continue
            run = [(r, c)]
            while (ahead := (run[-1][0] + dr, run[-1][1] + dc)) in crowned:
                run.append(ahead)
            if share:
                # Any two lines may share one square, so that a run of five makes two.
                for start in range(0, len(run) - LINE + 1, LINE - 1):
                    yield tuple(run[start : start + LINE])
            elif len(run) >= LINE:
                yield tuple(run)


def bleak_king(estate: Estate, quest: Quest) -> Found:
    # 10 for each crownless territory of five squares or more of wheat, forest, lake, grassland, and in XXXL
    # also town. The Queen does not end it: she is a crown for her territory's points only.
    rulings = estate.rules.rulings
    for territory in estate.territories:
        crowns = territory.crowns - (0 if "queen-ends-bleak-king" in rulings else territory.queen)
        exact = territory.size == BLEAK_SIZE or "bleak-king-exactly-five" not in rulings
        known = territory.terrain in quest.terrains and (estate.rules.bleak_towns or territory.terrain != "town")
        if known and not crowns and territory.size >= BLEAK_SIZE and exact:
            yield territory.squares


KINDS: dict[str, Callable[[Estate, Quest], Found]] = {
    f.__name__: f for f in (local_business, four_corners, harmony, middle_kingdom, lost_corner, crown_lines, bleak_king)
}


def quest_items(estate: Estate, row: str) -> Iterator[Item]:
    """Each thing that the quest or bonus of a pad row pays for."""
    quest = QUESTS[row.partition(":")[2]]
    text = msg("{quest}: {points}", quest=Term(quest.name), points=quest.points)
    for squares in KINDS[quest.kind](estate, quest):
        yield Item(row, quest.points, text, squares)
