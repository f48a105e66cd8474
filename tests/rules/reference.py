"""A second, deliberately plain scorer to compare the real one with, and random kingdoms to compare them on.

Nothing here is shared with the package: the values of the tiles, the reading of the notation and every rule
are written out once more, as slowly and literally as the rule books say them. It expects valid canonical
notation of one player without unknown squares. `python tests/rules/reference.py` checks it against
the rule book's worked example and kingdoms worked out by hand.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

Place = tuple[int, int]

LETTERS = {
    "w": "wheat",
    "f": "forest",
    "l": "lake",
    "g": "grassland",
    "s": "swamp",
    "m": "mine",
    "t": "town",
}
SIX_TERRAINS = ["wheat", "forest", "lake", "grassland", "swamp", "mine"]
SEVEN_TERRAINS = [*SIX_TERRAINS, "town"]
RESOURCES = ["wheat", "wood", "fish", "sheep"]
RESOURCE_OF = {"wheat": "wheat", "forest": "wood", "lake": "fish", "grassland": "sheep"}

TERRITORY_BUILDINGS = {
    "bakery": "wheat",
    "sawmill": "forest",
    "fishmonger": "lake",
    "weaving_shop": "grassland",
    "magic_school": "swamp",
    "foundry": "mine",
}
FLAT_BUILDINGS = {
    "statue": 5,
    "small_tavern": 3,
    "guardtower": 3,
    "fortified_castle": 3,
    "big_tavern": 2,
    "safe_of_knights": 2,
    "safe_of_towers": 2,
}
OTHER_BUILDINGS = ["church", "travelling_castle", "training_camp", "queens_tower"]
BUILDINGS = [*TERRITORY_BUILDINGS, *FLAT_BUILDINGS, *OTHER_BUILDINGS]

CHARACTER_BASE = {
    "farmer": 3,
    "lumberjack": 3,
    "fisherman": 3,
    "shepherdess": 3,
    "merchant": 2,
    "captain": 1,
    "light_archer": 4,
    "heavy_archer": 4,
    "axe_warrior": 3,
    "sword_warrior": 3,
    "king": 0,
    "queen": 2,
}
WARRIORS = ["captain", "light_archer", "heavy_archer", "axe_warrior", "sword_warrior"]
COURT_BUILDING_CROWNS = {
    "wheat1": 1,
    "forest1": 1,
    "lake1": 1,
    "grassland1": 1,
    "grassland2": 2,
    "swamp1": 1,
    "swamp2": 2,
}

QUESTS = [
    *[f"local-business-{terrain}" for terrain in SIX_TERRAINS],
    *[f"four-corners-{terrain}" for terrain in SIX_TERRAINS],
    "harmony",
    "middle-kingdom",
    "lost-corner",
    "crown-lines",
    "bleak-king",
]
RULINGS = [
    "crown-lines-share-one",
    "crown-lines-printed-only",
    "bleak-king-exactly-five",
    "fallen-towers-count",
    "captain-counts-knights",
]
EXPANSIONS = ["giants", "court", "fantastic-era"]


@dataclass
class Square:
    """One laid square: `kind` is a terrain or "castle", `court` has (tile id, turned over) pairs."""

    kind: str
    printed_crowns: int = 0
    building: str = ""
    building_turned: bool = False
    pieces: dict[str, int] = field(default_factory=dict)
    court: list[tuple[str, bool]] = field(default_factory=list)

    def count(self, piece: str) -> int:
        return self.pieces.get(piece, 0)

    def standing_building(self) -> str:
        """The building that counts: red side up."""
        return "" if self.building_turned else self.building

    def standing_court(self) -> list[str]:
        """The Court tiles that count: face up."""
        return [tile for tile, turned in self.court if not turned]


def parse_cell(cell: str) -> Square | None:
    if cell == ".":
        return None
    base, *pieces = cell.split("+")
    if base == "C":
        square = Square("castle")
    elif ":" in base:
        _, building = base.split(":")
        square = Square("town", building=building.rstrip("~"), building_turned=building.endswith("~"))
    else:
        square = Square(LETTERS[base[0]], printed_crowns=int(base[1:] or "0"))
    for piece in pieces:
        name, _, number = piece.partition("*")
        for _ in range(int(number or "1")):
            if name.startswith("court:"):
                tile = name.removeprefix("court:")
                square.court.append((tile.rstrip("~"), tile.endswith("~")))
            else:
                square.pieces[name] = square.pieces.get(name, 0) + 1
    return square


def parse(text: str) -> tuple[dict[str, str], dict[Place, Square]]:
    """Header keys with their values, and every square that is not empty by its row and column."""
    lines = text.splitlines()
    blank = lines.index("")
    header = {}
    for line in lines[:blank]:
        key, _, value = line.partition(":")
        header[key.strip()] = value.strip()
    squares = {}
    for row, line in enumerate(lines[blank + 1 :]):
        for column, cell in enumerate(line.split()):
            square = parse_cell(cell)
            if square is not None:
                squares[row, column] = square
    return header, squares


def listed(header: dict[str, str], key: str) -> list[str]:
    return [item.strip() for item in header.get(key, "").split(",") if item.strip()]


def number(header: dict[str, str], key: str) -> int:
    return int(header.get(key, "0"))


def beside(place: Place) -> list[Place]:
    row, column = place
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def around(place: Place) -> list[Place]:
    row, column = place
    return [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


def find_territories(squares: dict[Place, Square], terrains: list[str]) -> list[list[Place]]:
    """Groups of equal terrain joined side by side, by reading order of their first squares."""
    territories: list[list[Place]] = []
    for start in sorted(squares):
        if squares[start].kind not in terrains:
            continue
        if any(start in territory for territory in territories):
            continue
        territory = [start]
        grown = True
        while grown:
            grown = False
            for place in sorted(squares):
                same_kind = squares[place].kind == squares[start].kind
                touches = any(neighbour in territory for neighbour in beside(place))
                if same_kind and touches and place not in territory:
                    territory.append(place)
                    grown = True
        territories.append(sorted(territory))
    return territories


def bounding_box(squares: dict[Place, Square]) -> tuple[int, int, int, int]:
    """Top row, left column, bottom row, right column of everything laid, the castle included."""
    rows = [row for row, _ in squares]
    columns = [column for _, column in squares]
    return min(rows), min(columns), max(rows), max(columns)


def kingdom_size(header: dict[str, str], squares: dict[Place, Square]) -> int:
    if "size" in header:
        return int(header["size"])
    if header.get("rules") == "xxxl":
        return 7
    top, left, bottom, right = bounding_box(squares)
    for size in (5, 7):
        if bottom - top + 1 <= size and right - left + 1 <= size:
            return size
    return 9


def castle_of(squares: dict[Place, Square]) -> Place | None:
    castles = [place for place in squares if squares[place].kind == "castle"]
    return castles[0] if len(castles) == 1 else None


def harmony(header: dict[str, str], squares: dict[Place, Square]) -> int:
    """5 if the kingdom is a complete grid of its size without gaps."""
    size = kingdom_size(header, squares)
    top, left, bottom, right = bounding_box(squares)
    complete = bottom - top + 1 == size and right - left + 1 == size and len(squares) == size * size
    return 5 if complete else 0


def middle_kingdom(squares: dict[Place, Square]) -> int:
    """10 if there are as many rows above the castle as below it, and as many columns left as right."""
    castle = castle_of(squares)
    if castle is None:
        return 0
    top, left, bottom, right = bounding_box(squares)
    row, column = castle
    return 10 if row - top == bottom - row and column - left == right - column else 0


def corners_of(squares: dict[Place, Square]) -> set[Place]:
    top, left, bottom, right = bounding_box(squares)
    return {(top, left), (top, right), (bottom, left), (bottom, right)}


def count_crown_lines(crowned: set[Place], share_one: bool) -> int:
    """Maximal straight runs of three or more; where lines may share one square, a run of five makes two."""
    lines = 0
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row, column in crowned:
            if (row - down, column - right) in crowned:
                continue
            length = 1
            while (row + length * down, column + length * right) in crowned:
                length += 1
            if length >= 3:
                lines += (length - 1) // 2 if share_one else 1
    return lines


def reference_score(text: str) -> dict:
    """Pad rows, total, largest territory and uncovered crowns (without the Queen) of one player's kingdom."""
    header, squares = parse(text)
    rules = header.get("rules", "queendomino")
    expansions = listed(header, "expansions")
    rulings = listed(header, "rulings")
    xxxl = rules == "xxxl"
    with_queendomino = rules != "kingdomino"
    with_giants = xxxl or "giants" in expansions
    with_court = xxxl or "court" in expansions
    with_fantastic_era = xxxl or "fantastic-era" in expansions
    terrains = SEVEN_TERRAINS if with_queendomino else SIX_TERRAINS

    # A covered crown counts nowhere.
    crowns: dict[Place, int] = {}
    line_crowns: dict[Place, int] = {}
    for place, square in squares.items():
        printed = square.printed_crowns
        built = 0
        if with_queendomino and square.standing_building() == "queens_tower":
            built += 1
        if with_court:
            for tile in square.standing_court():
                built += COURT_BUILDING_CROWNS.get(tile, 0)
        covered = 0
        if with_giants:
            covered += square.count("giant")
        if with_fantastic_era:
            covered += square.count("fallen")
        if square.kind == "town" and not with_queendomino:
            printed = built = 0
        crowns[place] = max(0, printed + built - covered)
        if "crown-lines-printed-only" in rulings:
            line_crowns[place] = max(0, printed - covered)
        else:
            line_crowns[place] = crowns[place]

    territories = find_territories(squares, terrains)
    largest = max([len(territory) for territory in territories], default=0)

    # The Queen stands on the largest territory; of several, where her figure is, else the first read.
    queen_places = [place for place, square in squares.items() if square.count("queen")]
    hosts_queen = with_queendomino and header.get("queen") != "abducted"
    hosts_queen = hosts_queen and (header.get("queen") == "yes" or queen_places != [])
    queen_territory: list[Place] = []
    if hosts_queen and territories:
        choices = [territory for territory in territories if len(territory) == largest]
        queen_territory = choices[0]
        for territory in choices:
            if any(place in territory for place in queen_places):
                queen_territory = territory

    territory_points = dict.fromkeys(terrains, 0)
    territory_count = dict.fromkeys(terrains, 0)
    for territory in territories:
        terrain = squares[territory[0]].kind
        territory_crowns = sum(crowns[place] for place in territory)
        if territory == queen_territory:
            territory_crowns += 1
        territory_points[terrain] += len(territory) * territory_crowns
        territory_count[terrain] += 1

    all_squares = list(squares.values())
    court_tiles = [tile for square in all_squares for tile in square.standing_court()] if with_court else []
    court_warriors = len([tile for tile in court_tiles if tile in WARRIORS])

    towers_owned = number(header, "towers") + sum(square.count("tower") for square in all_squares)
    if with_fantastic_era and "fallen-towers-count" in rulings:
        towers_owned += sum(square.count("fallen") for square in all_squares)
    knights_owned = number(header, "guard") + sum(square.count("knight") for square in all_squares)
    knights_owned += court_warriors

    building_rows = {"territory_buildings": 0, "church": 0, "towers": 0, "knights": 0, "buildings": 0}
    if with_queendomino:
        for square in all_squares:
            building = square.standing_building()
            if building in TERRITORY_BUILDINGS:
                building_rows["territory_buildings"] += 2 * territory_count[TERRITORY_BUILDINGS[building]]
            if building == "church":
                building_rows["church"] += 2 * territory_count["town"]
            if building == "travelling_castle":
                building_rows["towers"] += towers_owned
            if building == "training_camp":
                building_rows["knights"] += knights_owned
            if building in FLAT_BUILDINGS:
                building_rows["buildings"] += FLAT_BUILDINGS[building]

    characters_base = 0
    characters_bonus = 0
    if with_court:
        for place, square in squares.items():
            near = [squares[other] for other in around(place) if other in squares]
            near_crowns = sum(crowns[other] for other in around(place) if other in squares)
            near_tiles = [tile for other in near for tile in other.standing_court()]
            near_resources = {kind: sum(other.count(kind) for other in near) for kind in RESOURCES}
            near_warriors = len([tile for tile in near_tiles if tile in WARRIORS])
            if with_queendomino and "captain-counts-knights" in rulings:
                near_warriors += sum(other.count("knight") for other in near)
            for tile in square.standing_court():
                characters_base += CHARACTER_BASE.get(tile, 0)
                if tile == "farmer":
                    characters_bonus += 3 * near_resources["wheat"]
                if tile == "lumberjack":
                    characters_bonus += 3 * near_resources["wood"]
                if tile == "fisherman":
                    characters_bonus += 3 * near_resources["fish"]
                if tile == "shepherdess":
                    characters_bonus += 3 * near_resources["sheep"]
                if tile == "merchant":
                    characters_bonus += 2 * sum(near_resources.values())
                if tile == "captain":
                    characters_bonus += 3 * near_warriors
                if tile == "king":
                    characters_bonus += near_crowns
                if tile == "queen":
                    characters_bonus += 2 * len([other for other in near_tiles if other in CHARACTER_BASE])

    money = number(header, "coins")
    if with_fantastic_era:
        money += number(header, "account")

    castle = castle_of(squares)
    quest_rows = {}
    for quest in listed(header, "quests"):
        points = 0
        if quest.startswith("local-business-") and castle is not None:
            wanted = quest.removeprefix("local-business-")
            for place in around(castle):
                if place in squares and squares[place].kind == wanted:
                    points += 5
        if quest.startswith("four-corners-"):
            wanted = quest.removeprefix("four-corners-")
            for place in corners_of(squares):
                if place in squares and squares[place].kind == wanted:
                    points += 5
        if quest == "harmony":
            points = harmony(header, squares)
        if quest == "middle-kingdom":
            points = middle_kingdom(squares)
        if quest == "lost-corner" and castle in corners_of(squares):
            points = 20
        if quest == "crown-lines":
            crowned = {place for place in squares if line_crowns[place] > 0}
            points = 10 * count_crown_lines(crowned, "crown-lines-share-one" in rulings)
        if quest == "bleak-king":
            bleak_terrains = ["wheat", "forest", "lake", "grassland"]
            if xxxl:
                bleak_terrains.append("town")
            for territory in territories:
                bleak = squares[territory[0]].kind in bleak_terrains
                bleak = bleak and sum(crowns[place] for place in territory) == 0
                if "bleak-king-exactly-five" in rulings:
                    bleak = bleak and len(territory) == 5
                else:
                    bleak = bleak and len(territory) >= 5
                if bleak:
                    points += 10
        quest_rows[f"quest:{quest}"] = points

    rows: dict[str, int] = {}
    if with_court:
        rows["characters_base"] = characters_base
        rows["characters_bonus"] = characters_bonus
    if with_queendomino:
        rows["wealth" if xxxl else "coins"] = money // 3
    if with_court:
        rows["resources"] = sum(square.count(kind) for square in all_squares for kind in RESOURCES) // 2
    for terrain in terrains:
        rows[terrain] = territory_points[terrain]
    if xxxl:
        rows["buildings_total"] = sum(building_rows.values())
    elif with_queendomino:
        rows.update(building_rows)
    rows.update(quest_rows)
    if rules == "kingdomino":
        for bonus in listed(header, "bonuses"):
            if bonus == "middle-kingdom":
                rows["bonus:middle-kingdom"] = middle_kingdom(squares)
            if bonus == "harmony":
                rows["bonus:harmony"] = harmony(header, squares)

    return {
        "rows": rows,
        "total": sum(rows.values()),
        "largest_territory": largest,
        "crowns": sum(crowns.values()),
    }


HEADER_ORDER = [
    "rules",
    "expansions",
    "player",
    "size",
    "rulings",
    "coins",
    "account",
    "guard",
    "towers",
    "cemetery",
    "queen",
    "quests",
    "bonuses",
    "court",
]
PIECE_ORDER = ["knight", "tower", "fallen", "queen", "giant", *RESOURCES]


def print_cell(square: Square | None) -> str:
    if square is None:
        return "."
    if square.kind == "castle":
        cell = "C"
    elif square.kind == "town":
        cell = "t"
        if square.building:
            cell += ":" + square.building + ("~" if square.building_turned else "")
    else:
        cell = square.kind[0] + str(square.printed_crowns)
    for piece in PIECE_ORDER:
        if square.count(piece) == 1:
            cell += f"+{piece}"
        elif square.count(piece) > 1:
            cell += f"+{piece}*{square.count(piece)}"
    for tile, turned in square.court:
        cell += f"+court:{tile}" + ("~" if turned else "")
    return cell


def print_kingdom(header: dict[str, str], squares: dict[Place, Square], rows: int, columns: int) -> str:
    lines = [f"{key}: {header[key]}" for key in HEADER_ORDER if key in header]
    lines.append("")
    for row in range(rows):
        lines.append(" ".join(print_cell(squares.get((row, column))) for column in range(columns)))
    return "\n".join(lines) + "\n"


def random_kingdom(rng: random.Random, rules: str, expansions: tuple[str, ...] = (), legal: bool = False) -> str:
    """Canonical notation of a random kingdom.

    Normally anything the notation can say, also pieces the rule set does not count. With `legal`, a kingdom
    laid domino by domino from the box in use, with pieces only where and as many as the rules allow.
    """
    header = {"rules": rules, "player": rng.choice(["White", "Orange", "Red Queen", "Zoë"])}
    if expansions:
        header["expansions"] = ", ".join(name for name in EXPANSIONS if name in expansions)
    rulings = [ruling for ruling in RULINGS if rng.random() < 0.25]
    if rulings:
        header["rulings"] = ", ".join(rulings)
    squares = legal_kingdom(rng, header, rules, expansions) if legal else wild_kingdom(rng, header, rules)
    rows = max(row for row, _ in squares) + 1
    columns = max(column for _, column in squares) + 1
    return print_kingdom(header, squares, rows, columns)


def set_if_positive(header: dict[str, str], key: str, value: int) -> None:
    if value > 0:
        header[key] = str(value)


def set_size(rng: random.Random, header: dict[str, str], squares: dict[Place, Square], size: int) -> None:
    """Names the size sometimes, and always where the default would be too small."""
    top, left, bottom, right = bounding_box(squares)
    needed = max(bottom - top, right - left) + 1
    if rng.random() < 0.4 or (header["rules"] == "xxxl" and needed > 7):
        header["size"] = str(size)


def wild_kingdom(rng: random.Random, header: dict[str, str], rules: str) -> dict[Place, Square]:
    if rng.random() < 0.4:
        rows = columns = rng.choice([3, 5, 5, 7, 7, 9])
    else:
        rows, columns = rng.randint(1, 9), rng.randint(1, 9)
    holes = rng.choice([0, 0, 0.05, 0.2, 0.4])
    clustering = rng.choice([0.2, 0.5, 0.8, 0.95])
    crown_chance = rng.choice([0, 0.1, 0.3, 0.6, 0.9])
    piece_chance = rng.choice([0, 0.05, 0.15, 0.3])
    terrains = rng.sample(SEVEN_TERRAINS, rng.randint(1, 7))

    squares: dict[Place, Square] = {}
    for row in range(rows):
        for column in range(columns):
            if rng.random() < holes:
                continue
            earlier = [place for place in ((row - 1, column), (row, column - 1)) if place in squares]
            if earlier and rng.random() < clustering:
                kind = squares[rng.choice(earlier)].kind
            else:
                kind = rng.choice(terrains)
            squares[row, column] = Square(kind)

    castle = rng.choice(
        [
            (rows // 2, columns // 2),
            (0, 0),
            (rows - 1, columns - 1),
            (0, columns - 1),
            (rng.randrange(rows), rng.randrange(columns)),
            (rng.randrange(rows), rng.randrange(columns)),
        ]
    )
    if rng.random() < 0.9:
        squares[castle] = Square("castle")
    elif not squares:
        squares[castle] = Square("wheat")

    for square in squares.values():
        if square.kind == "castle":
            continue
        if square.kind == "town":
            if rng.random() < 0.6:
                square.building = rng.choice(BUILDINGS)
                square.building_turned = rng.random() < 0.15
        elif rng.random() < crown_chance:
            square.printed_crowns = rng.choice([1, 1, 1, 2, 2, 3])
        for piece in ("knight", "tower", "fallen", "giant"):
            if rng.random() < piece_chance:
                square.pieces[piece] = rng.choice([1, 1, 1, 2, 3])
        if rng.random() < 2 * piece_chance:
            resource = RESOURCE_OF.get(square.kind, "")
            if not resource or rng.random() < 0.1:
                resource = rng.choice(RESOURCES)
            square.pieces[resource] = rng.choice([1, 1, 1, 2])
        if rng.random() < piece_chance:
            wild_court_tile(rng, square)

    for key in ("coins", "account", "guard", "towers", "cemetery"):
        if rng.random() < 0.6:
            set_if_positive(header, key, rng.choice([1, 2, 3, 4, 5, 8, 11, 40]))
    queen = rng.choice(["", "yes", "yes", "no", "abducted", "piece", "piece and yes"])
    standing = [place for place in squares if squares[place].kind != "castle"]
    if queen.startswith("piece"):
        if standing:
            squares[rng.choice(standing)].pieces["queen"] = 1
        if queen == "piece and yes":
            header["queen"] = "yes"
    elif queen:
        header["queen"] = queen

    quests = rng.sample(QUESTS, rng.choice([0, 1, 2, 4, 4, 17]))
    if quests:
        header["quests"] = ", ".join(quests)
    if rules == "kingdomino" and rng.random() < 0.7:
        header["bonuses"] = rng.choice(["middle-kingdom", "harmony", "middle-kingdom, harmony"])
    if rng.random() < 0.3:
        header["court"] = rng.choice(["1", "2"])
    top, left, bottom, right = bounding_box(squares)
    needed = max(bottom - top, right - left) + 1
    set_size(rng, header, squares, rng.choice([size for size in (5, 7, 9) if size >= needed]))
    return squares


def wild_court_tile(rng: random.Random, square: Square) -> None:
    """Any character anywhere; a Court building mostly on its own terrain, never on a town."""
    tile = rng.choice([*CHARACTER_BASE, *COURT_BUILDING_CROWNS, *COURT_BUILDING_CROWNS])
    if tile in COURT_BUILDING_CROWNS:
        if square.kind == "town":
            return
        if tile[:-1] != square.kind and rng.random() < 0.8:
            own = [other for other in COURT_BUILDING_CROWNS if other[:-1] == square.kind]
            if not own:
                return
            tile = rng.choice(own)
    square.court.append((tile, rng.random() < 0.15))


KINGDOMINO_DOMINOES = """
    w0w0 w0w0 f0f0 f0f0 f0f0 f0f0 l0l0 l0l0 l0l0 g0g0 g0g0 s0s0 w0f0 w0l0 w0g0 w0s0
    f0l0 f0g0 w1f0 w1l0 w1g0 w1s0 w1m0 f1w0 f1w0 f1w0 f1w0 f1l0 f1g0 l1w0 l1w0 l1f0
    l1f0 l1f0 l1f0 w0g1 l0g1 w0s1 g0s1 m1w0 w0g2 l0g2 w0s2 g0s2 m2w0 s0m2 s0m2 w0m3
"""
QUEENDOMINO_DOMINOES = """
    w0w0 w0w0 f0f0 f0f0 w1s0 w1m0 f1w0 f1w0 l0l0 l0l0 g0g0 g0g0 f1w0 f1l0 f1g0 l1w0
    s0s0 w1f0 w1l0 w1g0 l1f0 l1f0 l1f0 g1w0 s1w0 g2w0 g2f0 s2w0 t0s0 f1t0 l1t0 l1t0
    s2f0 m2w0 m2w0 t0f0 g1t0 s1t0 m1t0 m2t0 t0l0 t0l0 t0g0 t0g0 m3t0 t0t0 t0t0 t0t0
"""
GIANTS_DOMINOES = "f0w0 f0w0 l0w0 m0g0 s0g0 l0g0 w2f1 f2l1 l2g1 g2s1 s2m1 m2s1"

QUEENDOMINO_COPIES = {
    **dict.fromkeys(BUILDINGS, 2),
    **dict.fromkeys(["safe_of_knights", "safe_of_towers", "big_tavern", "fortified_castle"], 1),
    "statue": 3,
    "queens_tower": 3,
}
COURT_COPIES = {
    **dict.fromkeys([*CHARACTER_BASE, *COURT_BUILDING_CROWNS], 1),
    **dict.fromkeys(["wheat1", "forest1", "lake1"], 3),
}
# The smaller number of the editions, so that the kingdom is legal with each.
KNIGHTS_IN_BOX = 19
TOWERS_IN_BOX = 15
GIANTS_IN_BOX = 6
EARTHQUAKES_IN_BOX = 2


def lay_dominoes(rng: random.Random, box: list[str], size: int, wanted: int) -> dict[Place, Square]:
    """The castle and up to `wanted` dominoes, each where the connection rule lets it lie."""
    squares = {(0, 0): Square("castle")}
    laid = 0
    for domino in rng.sample(box, len(box)):
        if laid == wanted:
            break
        ends = [Square(LETTERS[domino[0]], int(domino[1])), Square(LETTERS[domino[2]], int(domino[3]))]
        choices = []
        for row in range(-size, size + 1):
            for column in range(-size, size + 1):
                for other in beside((row, column)):
                    if may_lie(squares, [(row, column), other], ends, size):
                        choices.append([(row, column), other])
        if choices:
            for place, end in zip(rng.choice(choices), ends, strict=True):
                squares[place] = end
            laid += 1
    top, left, _, _ = bounding_box(squares)
    return {(row - top, column - left): square for (row, column), square in squares.items()}


def may_lie(squares: dict[Place, Square], places: list[Place], ends: list[Square], size: int) -> bool:
    if any(place in squares for place in places):
        return False
    connected = False
    for place, end in zip(places, ends, strict=True):
        for neighbour in beside(place):
            if neighbour in squares and squares[neighbour].kind in ("castle", end.kind):
                connected = True
    if not connected:
        return False
    top, left, bottom, right = bounding_box({**squares, places[0]: ends[0], places[1]: ends[1]})
    return bottom - top < size and right - left < size


def legal_kingdom(
    rng: random.Random, header: dict[str, str], rules: str, expansions: tuple[str, ...]
) -> dict[Place, Square]:
    xxxl = rules == "xxxl"
    with_giants = xxxl or "giants" in expansions
    with_court = xxxl or "court" in expansions
    with_fantastic_era = xxxl or "fantastic-era" in expansions
    with_queendomino = rules != "kingdomino"

    box = []
    if rules != "queendomino":
        box += KINGDOMINO_DOMINOES.split()
    if with_queendomino:
        box += QUEENDOMINO_DOMINOES.split()
    if with_giants:
        box += GIANTS_DOMINOES.split()
    size = rng.choice([7, 7, 9]) if xxxl else rng.choice([5, 5, 7])
    most = (size * size - 1) // 2
    squares = lay_dominoes(rng, box, size, rng.choice([0, 1, most // 2, most, most, most]))
    set_size(rng, header, squares, size)

    if with_queendomino:
        legal_buildings(rng, header, squares, with_fantastic_era)
        set_if_positive(header, "coins", rng.randint(0, 60))
        if with_fantastic_era:
            set_if_positive(header, "account", rng.randint(0, 30))
    if with_court:
        sets = rng.choice([0, 1, 2]) if xxxl else 1
        set_if_positive(header, "court", sets)
        legal_court(rng, squares, sets, with_fantastic_era)
    if with_giants:
        for _ in range(rng.randint(0, GIANTS_IN_BOX)):
            cover_a_crown(rng, squares, list(squares), "giant")
    if with_giants:
        header["quests"] = ", ".join(rng.sample(QUESTS, 4 if xxxl else 2))
    if rules == "kingdomino" and rng.random() < 0.7:
        header["bonuses"] = rng.choice(["middle-kingdom", "harmony", "middle-kingdom, harmony"])
    return squares


def free_crowns(square: Square) -> int:
    crowns = square.printed_crowns + (square.standing_building() == "queens_tower")
    crowns += sum(COURT_BUILDING_CROWNS.get(tile, 0) for tile in square.standing_court())
    return crowns - square.count("giant") - square.count("fallen")


def cover_a_crown(rng: random.Random, squares: dict[Place, Square], places: list[Place], piece: str) -> bool:
    choices = [place for place in places if place in squares and free_crowns(squares[place]) > 0]
    if not choices:
        return False
    square = squares[rng.choice(choices)]
    square.pieces[piece] = square.count(piece) + 1
    return True


def legal_buildings(
    rng: random.Random, header: dict[str, str], squares: dict[Place, Square], with_fantastic_era: bool
) -> None:
    """Buildings, towers, knights and the Queen as far as the Queendomino box goes."""
    supply = [building for building, copies in QUEENDOMINO_COPIES.items() for _ in range(copies)]
    rng.shuffle(supply)
    towers = TOWERS_IN_BOX
    knights = KNIGHTS_IN_BOX
    for square in squares.values():
        if square.kind == "town" and supply and rng.random() < 0.7:
            square.building = supply.pop()
            if with_fantastic_era and rng.random() < 0.15:
                square.building_turned = True
            elif rng.random() < 0.4:
                square.pieces["tower"] = min(towers, rng.choice([1, 1, 2]))
                towers -= square.pieces["tower"]
                if square.pieces["tower"] == 0:
                    del square.pieces["tower"]
        if square.kind != "castle" and knights and rng.random() < 0.15:
            square.pieces["knight"] = 1
            knights -= 1
    guard = rng.randint(0, min(knights, 4))
    set_if_positive(header, "guard", guard)
    knights -= guard
    if with_fantastic_era:
        set_if_positive(header, "cemetery", rng.randint(0, min(knights, 2)))
        for _ in range(rng.randint(0, EARTHQUAKES_IN_BOX)):
            built = [place for place in squares if squares[place].standing_building()]
            if towers and built and cover_a_crown(rng, squares, around(rng.choice(built)), "fallen"):
                towers -= 1
    beyond = rng.choice([0, 0, min(towers, 2)])
    set_if_positive(header, "towers", beyond)

    owns_towers = beyond > 0 or any(square.count("tower") for square in squares.values())
    queen = rng.choice(["", "no", "yes", "piece", "abducted" if with_fantastic_era else "no"])
    if queen in ("yes", "piece") and not owns_towers:
        queen = "no"
    territories = find_territories(squares, SEVEN_TERRAINS)
    if queen == "piece" and territories:
        largest = max(len(territory) for territory in territories)
        territory = rng.choice([territory for territory in territories if len(territory) == largest])
        squares[rng.choice(territory)].pieces["queen"] = 1
    elif queen in ("yes", "no", "abducted"):
        header["queen"] = queen


def legal_court(rng: random.Random, squares: dict[Place, Square], sets: int, with_fantastic_era: bool) -> None:
    """Court tiles and resources, each on a square of its own without a crown."""
    if sets == 0:
        return
    supply = [tile for tile, copies in COURT_COPIES.items() for _ in range(copies * sets)]
    rng.shuffle(supply)
    for square in squares.values():
        if square.kind == "castle" or square.printed_crowns or square.building:
            continue
        fitting = [tile for tile in supply if tile in CHARACTER_BASE or tile[:-1] == square.kind]
        if fitting and rng.random() < 0.3:
            tile = rng.choice(fitting)
            supply.remove(tile)
            square.court.append((tile, with_fantastic_era and rng.random() < 0.15))
        elif square.kind in RESOURCE_OF and rng.random() < 0.6:
            square.pieces[RESOURCE_OF[square.kind]] = 1


WORKED_EXAMPLE = """\
rules: queendomino
player: White
coins: 11
guard: 1
towers: 2
queen: yes

g1 g2 t:sawmill f1 f0
w0 g0 g0 t:church t:travelling_castle+tower
w1 t:big_tavern C t:statue m2
w0 l1 l1 f1 m2
t:guardtower f0 l0 s1 m0
"""

COURT_EXAMPLE = """\
rules: xxxl
coins: 4
account: 2
guard: 2
queen: abducted
quests: local-business-wheat, lost-corner, four-corners-grassland, middle-kingdom

w0+wheat w0+court:farmer s0+court:captain
w0+court:wheat1 C t:training_camp+knight
g0+sheep*2 g1+giant s0+court:light_archer~
"""

KING_AND_QUEEN = """\
rules: queendomino
expansions: court

w1 w2 t:queens_tower
w0+court:farmer w0+court:queen w0+court:king
C w0+court:captain s0+court:king~
"""

DIAGONALS = """\
rules: queendomino
quests: crown-lines

s1 C s1
w0 t:queens_tower w0
s1 g1 s1
. s1 .
"""

SMALL_KINGDOMINO = """\
rules: kingdomino
bonuses: middle-kingdom, harmony

w1 w0 f1
w0 C f0
l0 l1 f1
"""

CROWN_LINE = """\
rules: kingdomino
expansions: giants
quests: crown-lines

w1 w1 w1 w1 w1
. . C . .
"""

FANTASTIC_ERA = """\
rules: queendomino
expansions: fantastic-era
coins: 1
account: 2
towers: 1

m3+fallen m0 t:travelling_castle+tower*2 C
"""

BLEAK_KINGDOM = """\
rules: kingdomino
quests: bleak-king, lost-corner

C w0 w0 w0 w0 w0 w0
"""

QUEENS_CHOICE = """\
rules: queendomino
queen: yes

f0 f0 C l0 l0
"""


def expect(text: str, scoring_rows: dict[str, int], largest: int, crowns: int) -> None:
    """Fails unless the kingdom is worth just that; rows that are not named are worth nothing."""
    result = reference_score(text)
    assert {row: points for row, points in result["rows"].items() if points} == scoring_rows, text
    assert result["total"] == sum(scoring_rows.values()), text
    assert (result["largest_territory"], result["crowns"]) == (largest, crowns), text


def self_check() -> None:
    crowned = {"wheat": 3, "forest": 3, "lake": 6, "swamp": 1, "mine": 12}
    built = {"territory_buildings": 6, "church": 8, "towers": 3, "buildings": 10}
    expect(WORKED_EXAMPLE, {"coins": 3, **crowned, "grassland": 16, **built}, largest=4, crowns=13)
    assert reference_score(WORKED_EXAMPLE)["total"] == 71
    building_rows = ["territory_buildings", "church", "towers", "knights", "buildings"]
    assert list(reference_score(WORKED_EXAMPLE)["rows"]) == ["coins", *SEVEN_TERRAINS, *building_rows]
    in_kingdomino = WORKED_EXAMPLE.replace("rules: queendomino", "rules: kingdomino")
    expect(in_kingdomino, {**crowned, "grassland": 12}, largest=4, crowns=13)

    court = {
        "characters_base": 4,
        "characters_bonus": 3,
        "wealth": 2,
        "resources": 1,
        "wheat": 3,
        "buildings_total": 4,
        "quest:local-business-wheat": 15,
        "quest:four-corners-grassland": 5,
        "quest:middle-kingdom": 10,
    }
    expect(COURT_EXAMPLE, court, largest=3, crowns=1)
    with_knights = "rulings: captain-counts-knights\n" + COURT_EXAMPLE
    expect(with_knights, {**court, "characters_bonus": 6}, largest=3, crowns=1)

    expect(KING_AND_QUEEN, {"characters_base": 6, "characters_bonus": 9, "wheat": 18, "town": 1}, 6, 4)

    small = {"wheat": 3, "forest": 6, "lake": 2, "bonus:middle-kingdom": 10}
    expect(SMALL_KINGDOMINO, small, largest=3, crowns=4)
    expect("size: 3\n" + SMALL_KINGDOMINO, {**small, "bonus:harmony": 5}, largest=3, crowns=4)

    expect(CROWN_LINE, {"wheat": 25, "quest:crown-lines": 10}, largest=5, crowns=5)
    share_one = "rulings: crown-lines-share-one\n" + CROWN_LINE
    expect(share_one, {"wheat": 25, "quest:crown-lines": 20}, largest=5, crowns=5)
    with_giant = CROWN_LINE.replace("w1 w1 w1 w1 w1", "w1 w1 w1+giant w1 w1")
    expect(with_giant, {"wheat": 20}, largest=5, crowns=4)
    without_giants = with_giant.replace("expansions: giants\n", "")
    expect(without_giants, {"wheat": 25, "quest:crown-lines": 10}, largest=5, crowns=5)

    singles = {"grassland": 1, "swamp": 5, "town": 1}
    expect(DIAGONALS, {**singles, "quest:crown-lines": 40}, largest=1, crowns=7)
    printed_only = "rulings: crown-lines-printed-only\n" + DIAGONALS
    expect(printed_only, {**singles, "quest:crown-lines": 10}, largest=1, crowns=7)

    expect(FANTASTIC_ERA, {"coins": 1, "mine": 4, "towers": 3}, largest=2, crowns=2)
    still_counted = "rulings: fallen-towers-count\n" + FANTASTIC_ERA
    expect(still_counted, {"coins": 1, "mine": 4, "towers": 4}, largest=2, crowns=2)
    without_era = still_counted.replace("expansions: fantastic-era\n", "")
    expect(without_era, {"mine": 6, "towers": 3}, largest=2, crowns=3)

    expect(BLEAK_KINGDOM, {"quest:bleak-king": 10, "quest:lost-corner": 20}, largest=6, crowns=0)
    exactly_five = "rulings: bleak-king-exactly-five\n" + BLEAK_KINGDOM
    expect(exactly_five, {"quest:lost-corner": 20}, largest=6, crowns=0)

    expect(QUEENS_CHOICE, {"forest": 2}, largest=2, crowns=0)
    expect(QUEENS_CHOICE.replace("l0 l0", "l0 l0+queen"), {"lake": 2}, largest=2, crowns=0)
    expect(QUEENS_CHOICE.replace("queen: yes\n", ""), {}, largest=2, crowns=0)

    rng = random.Random(1)
    for turn in range(200):
        for rules in ("kingdomino", "queendomino", "royal-wedding", "xxxl"):
            expansions = tuple(name for name in EXPANSIONS if rng.random() < 0.4)
            text = random_kingdom(rng, rules, expansions, legal=turn % 20 == 0)
            header, squares = parse(text)
            grid = text.split("\n\n")[1].splitlines()
            assert print_kingdom(header, squares, len(grid), len(grid[0].split())) == text, text
            reference_score(text)


if __name__ == "__main__":
    self_check()
    print("ok")
