"""Is the kingdom possible? Every problem found, none of which stops the scoring."""

from collections import Counter
from collections.abc import Iterator, Sequence

from .catalogue import (
    BUILDINGS,
    CHARACTERS,
    COURT_BUILDINGS,
    PIECES_IN_BOX,
    RESOURCES,
)
from .kingdom import Kingdom, Place, Square, beside
from .message import Message, Term, msg
from .play import Rules
from .problem import Problem
from .territory import territories
from .tiling import CASTLE, EMPTY, Why, tile, too_few_squares


def problems_of(kingdoms: Sequence[Kingdom], rules: Rules) -> list[list[Problem]]:
    """The problems of each kingdom, those of the whole table listed with every player they concern."""
    found = [
        [
            *_castle(kingdom),
            *_size(kingdom, rules, len(kingdoms)),
            *_connected(kingdom),
            *_crowns(kingdom, rules),
        ]
        for kingdom in kingdoms
    ]
    for check in (piece_problems(kingdoms, rules), tiling_problems(kingdoms, rules)):
        for i, problem in check:
            found[i].append(problem)
    return found


def piece_problems(kingdoms: Sequence[Kingdom], rules: Rules) -> Iterator[tuple[int, Problem]]:
    """What is wrong with buildings, meeples and tiles on the squares of a table, with the kingdom's number."""
    for i, kingdom in enumerate(kingdoms):
        yield from ((i, problem) for problem in (*_furniture(kingdom), *_queen(kingdom, rules)))
    yield from _supply(kingdoms, rules)


def _castle(kingdom: Kingdom) -> Iterator[Problem]:
    # Exactly one castle.
    if not kingdom.castles and not any(square.unknown for _, square in kingdom.squares()):
        yield Problem("no-castle", msg("the kingdom has no castle"))
    for place in kingdom.castles[1:]:
        yield Problem("two-castles", msg("the kingdom has more than one castle"), place)


def _size(kingdom: Kingdom, rules: Rules, parties: int) -> Iterator[Problem]:
    # The bounding box lies within the size, and the size is one that so many parties may build.
    size = rules.size_of(kingdom)
    allowed = rules.allowed_size(parties)
    if kingdom.extent > size:
        text = msg("the kingdom is {extent} squares wide or high, more than {size}", extent=kingdom.extent, size=size)
        yield Problem("too-large", text)
    elif size > allowed:
        text = msg(
            "{size}x{size}: in {rules} so many players build at most {allowed}x{allowed}",
            size=size,
            rules=rules.name,
            allowed=allowed,
        )
        yield Problem("size-not-in-rules", text)


def _connected(kingdom: Kingdom) -> Iterator[Problem]:
    # All squares are connected to the castle side by side. An unknown square may connect.
    reached = {*kingdom.castles}
    group = list(reached)
    while group:
        for place in beside(group.pop()):
            square = kingdom.at(place)
            if place not in reached and (square.laid or square.unknown):
                reached.add(place)
                group.append(place)
    for place, square in kingdom.squares():
        if reached and square.laid and place not in reached:
            yield Problem("not-connected", msg("the square is not connected to the castle"), place)


def _crowns(kingdom: Kingdom, rules: Rules) -> Iterator[Problem]:
    # Terrains without the crowns they never have.
    faces = rules.faces
    for place, square in kingdom.squares():
        if square.terrain in rules.terrains and square.crowns and f"{square.terrain[0]}{square.crowns}" not in faces:
            text = msg("no {terrain} has {crowns} crowns", terrain=Term(square.terrain), crowns=square.crowns)
            yield Problem("impossible-crowns", text, place)
        if square.terrain is not None and square.terrain not in rules.terrains:
            text = msg("{rules} has no {terrain}: not counted", rules=rules.name, terrain=Term(square.terrain))
            yield Problem("not-in-rules", text, place)


def _furniture(kingdom: Kingdom) -> Iterator[Problem]:
    for place, square in kingdom.squares():
        if square.parts:
            for code, text in _on_square(square):
                yield Problem(code, text, place)


def _on_square(square: Square) -> Iterator[tuple[str, Message]]:
    on_terrain = square.terrain is not None or square.unknown
    printed = square.crowns or 0
    if not on_terrain:
        yield "off-terrain", msg("pieces stand only on terrain squares")
    # Buildings only on town squares.
    if square.building is not None and square.terrain not in ("town", None):
        yield "building-off-town", msg("a building stands only on a town square")
    # Court buildings only on their terrain; Court tiles not on a square with a crown; one per square.
    for name, _ in square.court:
        if name in COURT_BUILDINGS and square.terrain not in (COURT_BUILDINGS[name].terrain, None):
            yield "court-wrong-terrain", msg("a Court building stands only on its own terrain")
    if square.court and printed:
        yield "court-on-crown", msg("a Court tile lies only on a square without a crown")
    if len(square.court) + (square.building is not None) > 1:
        yield "two-tiles", msg("a square holds only one building or Court tile")
    # Resources only of their terrain and not on a crown; only one a square. They may lie beside a Court tile.
    if any(square.terrain not in (RESOURCES[name].terrain, None) for name in square.resources):
        yield "resource-wrong-terrain", msg("a resource lies only on its own terrain")
    if square.resources and printed:
        yield "resource-on-crown", msg("a resource lies only on a square without a crown")
    if len(square.resources) > 1:
        yield "two-resources", msg("a square holds only one resource")
    # Each giant covers one crown of a square.
    if square.giant > printed + square.built_crowns and square.crowns is not None and not square.unknown:
        yield "giant-without-crown", msg("a giant covers a crown, and there is none left for it here")


def _queen(kingdom: Kingdom, rules: Rules) -> Iterator[Problem]:
    # She stands on a largest territory, and only once.
    seen = [place for place, square in kingdom.squares() if square.queen]
    if len(seen) > 1 or any(kingdom.at(place).queen > 1 for place in seen):
        yield Problem("two-queens", msg("there is only one Queen"), seen[-1])
    if seen:
        groups = territories(kingdom, rules.terrains)
        largest = max((group.size for group in groups), default=0)
        here = max((group.size for group in groups if seen[0] in group.squares), default=0)
        if here < largest:
            yield Problem("queen-not-on-largest", msg("the Queen does not stand on the largest territory"), seen[0])


def _supply(kingdoms: Sequence[Kingdom], rules: Rules) -> Iterator[tuple[int, Problem]]:
    # No more buildings of a kind, towers, knights or coins than the box holds, over all players of the game.
    owned = [_owned(kingdom) for kingdom in kingdoms]
    total = sum(owned, Counter[str]())
    for name, count in total.items():
        limit = _copies(name, rules)
        if count > limit:
            text = msg("{count} × {what}: the box holds {limit}", count=count, what=Term(_called(name)), limit=limit)
            for i, kingdom in enumerate(kingdoms):
                if owned[i][name]:
                    yield i, Problem("too-many", text, _where(kingdom, name))


def _owned(kingdom: Kingdom) -> Counter[str]:
    """Everything of which the boxes hold a number, turned over, fallen or buried things included."""
    owned = Counter(
        coins=kingdom.coins or 0,
        knight=(kingdom.guard or 0) + (kingdom.cemetery or 0),
        tower=kingdom.towers or 0,
        giant=0,
    )
    for _, square in kingdom.squares():
        if square.parts:
            owned["knight"] += square.knight
            owned["tower"] += square.tower + square.fallen
            owned["giant"] += square.giant
            owned.update(f"court:{name}" for name, _ in square.court)
            if square.building in BUILDINGS:
                owned[f"t:{square.building}"] += 1
    return owned


def _where(kingdom: Kingdom, name: str) -> Place | None:
    """The last place where a kingdom shows the thing."""
    places = [place for place, square in kingdom.squares() if _owned(Kingdom(((square,),)))[name]]
    return places[-1] if places else None


def _copies(name: str, rules: Rules) -> int:
    kind, _, piece = name.partition(":")
    if kind == "t":
        building = BUILDINGS[piece]
        return building.copies + ("events" in rules.parts) * building.fantastic_era
    if kind == "court":
        return rules.court_sets * (COURT_BUILDINGS[piece].copies if piece in COURT_BUILDINGS else 1)
    return PIECES_IN_BOX[name]


def _called(name: str) -> str:
    kind, _, piece = name.partition(":")
    if kind == "t":
        return BUILDINGS[piece].name
    if kind == "court":
        return CHARACTERS[piece].name if piece in CHARACTERS else COURT_BUILDINGS[piece].name
    return name


def tiling_problems(kingdoms: Sequence[Kingdom], rules: Rules) -> Iterator[tuple[int, Problem]]:
    # The kingdom without its castle splits into dominoes of the box in use, no domino used more often than
    # the box holds it, in a game by all kingdoms of the table together, laid by the connection rule.
    shown = [_shown(kingdom, rules) for kingdom in kingdoms]
    short = [too_few_squares([kingdom], rules.box) for kingdom in shown]
    for i, label in enumerate(short):
        if label:
            place = next(place for place, labels in shown[i].items() if labels == [label])
            yield i, Problem("not-in-box", msg("the box has too few squares {label}", label=label), place)
    rest = [i for i, label in enumerate(short) if label is None]
    if label := too_few_squares([shown[i] for i in rest], rules.box):
        text = msg("the kingdoms together need more squares {label} than the box has", label=label)
        yield from ((i, Problem("table-box", text)) for i in rest if [label] in shown[i].values())
        for i in rest:
            yield from _obstacles([i], kingdoms, shown, rules)
    else:
        yield from _obstacles(rest, kingdoms, shown, rules)


def _obstacles(
    together: list[int], kingdoms: Sequence[Kingdom], shown: Sequence[dict[Place, list[str]]], rules: Rules
) -> Iterator[tuple[int, Problem]]:
    """What keeps some kingdoms of the table from being laid together."""
    obstacles = tile([shown[i] for i in together], rules.box).obstacles if together else ()
    for obstacle in obstacles:
        concerned = together if obstacle.kingdom is None else [together[obstacle.kingdom]]
        # Without exactly one castle the order of laying cannot be told.
        if obstacle.why in _PROBLEMS and (obstacle.why is not Why.ORDER or kingdoms[concerned[0]].castle):
            problem = Problem(*_PROBLEMS[obstacle.why], obstacle.place)
            yield from ((i, problem) for i in concerned)
    # What is wrong with one kingdom must not hide what is wrong with the others together.
    bad = {together[obstacle.kingdom] for obstacle in obstacles if obstacle.kingdom is not None}
    if bad:
        yield from _obstacles([i for i in together if i not in bad], kingdoms, shown, rules)


def _shown(kingdom: Kingdom, rules: Rules) -> dict[Place, list[str]]:
    """What each place may show. A castle too few or too many is put right: the dominoes are judged without it."""
    shown = {place: _labels(square, rules.faces) for place, square in kingdom.squares()}
    shown |= {place: [EMPTY] for place in kingdom.castles[1:]}
    if not any(CASTLE in labels for labels in shown.values()):
        shown[kingdom.height + 1, kingdom.width + 1] = [CASTLE]
    return shown


_PROBLEMS = {
    Why.SHAPE: ("no-dominoes", msg("the squares cannot be split into dominoes")),
    Why.BOX: ("not-in-box", msg("the squares cannot be covered by dominoes of the box")),
    Why.ORDER: ("not-layable", msg("the dominoes cannot have been laid one after another")),
    Why.TABLE: ("table-box", msg("the kingdoms together need a domino more often than the box holds it")),
    Why.UNPROVEN: ("not-proven", msg("whether the box can lay this was not decided in time")),
}


def _labels(square: Square, faces: frozenset[str]) -> list[str]:
    """The labels a square may have, so that dominoes can be tried on it."""
    if square.castle:
        return [CASTLE]
    if square.unknown:
        return [*sorted(faces), CASTLE, EMPTY]
    if square.terrain is None:
        return [EMPTY]
    label = f"{square.terrain[0]}{square.crowns}"
    # Crowns that are not known, or that no domino has, may be any of this terrain's.
    return [label] if label in faces else [face for face in sorted(faces) if face[0] == label[0]] or [label]
