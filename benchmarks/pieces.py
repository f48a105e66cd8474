"""How well buildings and pieces are read: real pictures, kinds and pictures never seen, rendered tables.

    python -m benchmarks.pieces --data FOLDER                the whole table; needs PyTorch
    python -m benchmarks.pieces --data FOLDER --share 0.1    a tenth of the rendered tables

Queendomino pictures 16, 17, 18 and 24 were never trained on. Of the tile pictures 8, 20, 22, 23 and 25 the network
knows other crops; what it would read had it never seen a picture, or a kind of building, is measured by training its
last layer anew without them. `benchmarks/pieces.json` says what lies where, by eye.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from benchmarks.figures import Figure, Form, at_most, count_right, count_wrong
from benchmarks.measure import arguments
from benchmarks.scenes import half_seen, kept
from models.train.buildings_tiles import FACE, Faces, lay
from models.train.classify_compose import sprites
from models.train.classify_crops import squares
from scorer.errors import NoKingdom
from scorer.render import DrawnTiles, MixedTiles, PhotographedTables, PhotographedTiles, Recipe, VariedTables
from scorer.render.photographed import building_crops
from scorer.render.splits import Part
from scorer.rules import score
from scorer.rules.catalogue import TERRAINS
from scorer.rules.kingdom import Kingdom
from scorer.rules.notation import parse_square, square_text
from scorer.vision import models
from scorer.vision.classify import LABELS, WIDE_MARGIN, WIDE_SIZE, answers, log_probabilities
from scorer.vision.doubts import SURE
from scorer.vision.pieces import HEADS, SIGNS, Probabilities, furnish, look_closely, name_building, signs_on, split
from scorer.vision.reading import ReadKingdom, read_photo
from scorer.vision.rectify import Floats, Image, Pyramid, quad_views

if TYPE_CHECKING:
    import torch

SEED, VALIDATION_SEED = 5_000_000, 6_000_000
TABLES = 500
RULES = ("queendomino", "royal-wedding", "xxxl")
FOLDS = (
    {"bakery", "travelling_castle", "small_tavern"},
    {"fishmonger", "training_camp", "safe_of_towers"},
    {"weaving_shop", "fortified_castle", "big_tavern"},
    {"magic_school", "queens_tower", "safe_of_knights"},
)
"""Kinds of buildings left out together."""
SAMPLES = 1600
"""Tiles that a last layer is trained on."""


@dataclass
class Tally:
    name: str
    count: int = 0
    right: int = 0
    flagged: int = 0
    excused: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, what: str, right: bool, flagged: bool) -> None:
        self.count += 1
        self.right += right
        self.flagged += flagged and not right
        if not right:
            self.wrong.append(what + (" (flagged)" if flagged else ""))


def same(read: str, true: str) -> bool:
    """Equal but for the name of a building worth the same, or of what lies face down."""
    a, b = parse_square(read), parse_square(true)
    if [tile.turned for tile in a.court] == [True] == [tile.turned for tile in b.court]:
        a = replace(a, court=b.court)
    if a.building and b.building and (b.turned or signs_on(a.building) == signs_on(b.building)):
        a = replace(a, building=b.building)
    return square_text(a) == square_text(b)


def same_on_top(read: str, true: str) -> bool:
    """Equal but for terrain and crowns."""
    a, b = parse_square(read), parse_square(true)
    return same(square_text(replace(a, terrain=b.terrain, crowns=b.crowns)), true)


def pictures(data: Path, names: Iterable[str], tally: Tally) -> None:
    """Single squares of pictures, cut out where a person saw them, read without a box; flagged as in a reading."""
    marked = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    for name in names:
        image = cv2.imread(str(data / "queendomino" / "photos" / name))[..., ::-1]
        pyramid = Pyramid.of(np.ascontiguousarray(image))
        for entry in marked[name]:
            quad = np.array(entry["corners"], np.float32)[None]
            said = answers(quad_views(pyramid, quad, WIDE_SIZE, WIDE_MARGIN))
            likely = log_probabilities(said["terrain"], said["crowns"])
            label, unsure = LABELS[int(likely.argmax())], bool(np.exp(likely.max()) < SURE)
            if entry["cell"].startswith("."):
                seen = {head: values[0].argmax() for head, values in split(said["pieces"], HEADS).items()}
                tally.add(f"{name} {entry['cell']} read {label}", label == "." and bool(seen["queen"]), unsure)
                continue
            found = furnish([[label]], said["pieces"], look_closely(pyramid, quad[None], said), "queendomino")
            read = square_text(found.rows[0][0])
            tally.add(f"{name} {entry['cell']} read {read}", same(read, entry["cell"]), unsure or bool(found.doubts))


def kingdoms(data: Path, tally: Tally) -> None:
    """Pictures 16 and 18 from the raw photo, every square with what stands on it."""
    for name in ("16.jpg", "18.jpg"):
        grid = json.loads((data / "queendomino" / "photos.json").read_text())[name]["grid"]
        seen = first(data / "queendomino" / "photos" / name)
        compare(tally, name, grid, seen)


def first(source: Path | bytes) -> ReadKingdom | None:
    try:
        return read_photo(source).kingdoms[0]
    except NoKingdom:
        return None


def compare(
    tally: Tally,
    name: str,
    grid: list[list[str]],
    seen: ReadKingdom | None,
    hidden: frozenset[tuple[int, int]] = frozenset(),
) -> bool:
    """Counts every tile of a kingdom, turned by the quarter turn that fits best; True where all are right. Terrain and
    crowns of squares that cannot be seen whole may be wrong if they are doubted."""
    tiles = [(r, c, cell) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell != "."]
    turns = []
    if seen is not None:
        doubted = {doubt.square for doubt in seen.doubts}
        squares = np.array(
            [[(text, (r, c) in doubted) for c, text in enumerate(row)] for r, row in enumerate(seen.grid)], object
        )
        turns = [
            turned for turn in range(4) if (turned := np.rot90(squares, turn)).shape[:2] == (len(grid), len(grid[0]))
        ]
    if not turns:
        for r, c, cell in tiles:
            tally.add(f"{name} {r},{c} {cell}: grid not found", False, seen is None or bool(seen.doubts))
        return False
    best = max(turns, key=lambda turned: sum(same(turned[r, c, 0], cell) for r, c, cell in tiles))
    before = tally.right
    for r, c, cell in tiles:
        read, flagged = best[r, c]
        excused = (r, c) in hidden and flagged and same_on_top(read, cell)
        tally.excused += excused and not same(read, cell)
        tally.add(f"{name} {r},{c} {cell} read {read}", excused or same(read, cell), flagged)
    return tally.right - before == len(tiles)


def embed(images: Image) -> Floats:
    """What the network's last layer reads, of crops as they are stored for training."""
    import torch

    from models.train.classify import centre

    shown = centre(torch.from_numpy(images), "buildings").numpy()
    return np.asarray(models.load("buildings").run(["embedding"], {"squares": shown})[0])


def last_layer(faces: Faces, land: Image, data: Path, seed: int) -> torch.nn.Linear:
    """The signs' answers trained anew on the frozen network's embeddings of tiles."""
    import torch

    from models.train.classify import loss, vary

    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    made = [faces.any(rng) for _ in range(SAMPLES)]
    cut = sprites(data)
    images = np.stack([lay(face, land[int(rng.integers(len(land)))], cut, rng) for face, _ in made])
    targets = torch.from_numpy(np.stack([target for _, target in made])).long()
    varied = vary(torch.from_numpy(images), "buildings", torch.Generator().manual_seed(seed))
    session = models.load("buildings")
    seen = [
        session.run(["embedding"], {"squares": np.ascontiguousarray(varied[k : k + 64].numpy())})[0]
        for k in range(0, len(varied), 64)
    ]
    embedding = torch.from_numpy(np.concatenate(seen))
    torch.manual_seed(seed)
    layer = torch.nn.Linear(embedding.shape[1], sum(map(len, SIGNS.values())))
    optimiser = torch.optim.AdamW(layer.parameters(), lr=0.01, weight_decay=0.01)
    for _ in range(400):
        optimiser.zero_grad()
        value = loss("buildings", list(layer(embedding).split([len(known) for known in SIGNS.values()], 1)), targets)
        value.backward()
        optimiser.step()
    return layer


def unseen(data: Path, land: Image, by_kind: Tally, by_picture: Tally) -> None:
    """Real tiles of kinds, and of pictures, that the last layer never saw."""
    rng = np.random.default_rng(3)
    for number, kinds in enumerate(FOLDS):
        layer = last_layer(Faces(data, unseen=frozenset(kinds)), land, data, number)
        held_out(data, layer, land, rng, by_kind, lambda name, picture, kinds=kinds: name in kinds)
    for number, picture in enumerate(("8", "20", "23", "25")):
        layer = last_layer(Faces(data, without=frozenset({picture})), land, data, 10 + number)
        held_out(data, layer, land, rng, by_picture, lambda name, where, picture=picture: where == picture)


def held_out(data: Path, layer: torch.nn.Linear, land: Image, rng: np.random.Generator, tally: Tally, chosen) -> None:  # type: ignore[no-untyped-def]
    import torch

    for part in ("train", "test"):
        for (name, grey), cuttings in building_crops(data, part, frozenset()).items():
            for cutting in cuttings:
                picture = cutting.file.stem.rpartition("__p")[2]
                if not chosen(name, picture):
                    continue
                crop = lay(cutting.cut(FACE, FACE), land[int(rng.integers(len(land)))], {}, rng)
                with torch.no_grad():
                    logits = layer(torch.from_numpy(embed(crop[None]))).numpy()
                signs: Probabilities = {head: values[0] for head, values in split(logits, SIGNS).items()}
                named = name_building(signs)
                turned = bool(signs["side"][1] > 0.5)
                right = turned == grey and (grey or signs_on(named.building) == signs_on(name))
                flagged = named.sure < 0.9 or not named.agreed or 0.1 < signs["side"][1] < 0.9
                side = "~" if turned else ""
                tally.add(f"{cutting.file.stem} read {named.building}{side}", right, bool(flagged))


def table_recipe(seed: int, data: Path, part: Part) -> Recipe:
    """One kingdom with pieces by the rule sets in turn, photographed or drawn; those to choose by lie on tables of
    training in other colours, as photographed tables are too few for three parts."""
    photographed = PhotographedTables(data, "test")
    return Recipe(
        photo_sizes=((2400, 1800), (1800, 2400)),
        kingdoms=(1, 1),
        rules=(RULES[seed % 3],),
        sizes=(5, 7),
        pieces=1.0,
        square_pixels=(64.0, 375.0),
        tiles=MixedTiles([(DrawnTiles(), 1.0), (PhotographedTiles(data, part), 1.0)]),
        tables=photographed if part == "test" else VariedTables(PhotographedTables(data, "train")),
    )


def tables(data: Path, count: int, all_squares: Tally, whole: Tally, part: Part = "test") -> int:
    """Rendered tables of all rule sets with pieces, from the raw photo; how many wrong scores had no doubt."""
    silent = 0
    first_seed = SEED if part == "test" else VALIDATION_SEED
    for seed in range(first_seed, first_seed + count):
        rules = RULES[seed % 3]
        photo, kingdoms = kept(seed, table_recipe(seed, data, part))
        try:
            found = read_photo(photo, rules=rules).kingdoms
        except NoKingdom:
            found = ()
        seen = found[0] if found else None
        grid = [list(row) for row in kingdoms[0].grid]
        excused = all_squares.excused
        exact = compare(all_squares, f"{rules} {seed}", grid, seen, half_seen(kingdoms[0]))
        whole.excused += exact and all_squares.excused > excused
        whole.add(f"{rules} {seed}", exact, seen is None or bool(seen.doubts))
        if seen is not None and not exact and not seen.doubts:
            true = Kingdom(tuple(tuple(parse_square(cell) for cell in row) for row in grid), rules=rules, queen="no")
            silent += total(true) != total(replace(seen.kingdom, queen="no"))
    return silent


def total(kingdom: Kingdom) -> int:
    return score([kingdom]).players[0].total


def pooled(what: str, tallies: list[Tally], least: float) -> Iterator[Figure]:
    """Right, and right or flagged, of several tallies together."""
    count, right, flagged = (sum(getattr(t, name) for t in tallies) for name in ("count", "right", "flagged"))
    yield count_right(f"{what}: right", right, count, least)
    yield count_right(f"{what}: right or flagged", right + flagged, count, 1)


def figures(form: Form) -> Iterator[Figure]:
    data = form.photographs
    cv2.setNumThreads(1)
    raw, cut, tiles = Tally("pictures 16 and 18, raw"), Tally("pictures 17 and 24"), Tally("tile pictures")
    kingdoms(data, raw)
    pictures(data, ("17.jpg", "24.jpg"), cut)
    pictures(data, ("8.jpg", "20.jpg", "22.jpg", "23.jpg", "25.jpg"), tiles)
    yield from pooled("real squares with what stands on them", [raw, cut, tiles], 0.95)
    for tally in (raw, cut, tiles):
        yield count_right(f". {tally.name}: right", tally.right, tally.count)
    megabytes = sum(len(models.content(name)) for name in models.CHECKSUMS) / 1e6
    yield at_most("all models together", megabytes, 8, " MB", 1)
    tallies = [raw, cut, tiles]
    if not form.short:
        filled, whole = Tally("rendered tables, squares"), Tally("rendered tables, kingdoms")
        number = form.part(TABLES, least=3)
        silent = tables(data, number, filled, whole)
        yield count_right("rendered tables, squares with all on them: right", filled.right, filled.count, 0.998)
        yield count_right("rendered tables, kingdoms: fully right", whole.right, whole.count, 0.9)
        for tally in (filled, whole):
            yield count_right(f"{tally.name}: right, what is hidden too", tally.right - tally.excused, tally.count)
        yield count_wrong("rendered tables, wrong score without a doubt", silent, number, 0.005)
        known = list(squares(data, "train"))[:6]
        land = np.concatenate([c.images[c.targets[:, 0] < TERRAINS.index("town")] for c in known])
        by_kind, by_picture = Tally("tiles of kinds left out"), Tally("tiles of pictures left out")
        unseen(data, land, by_kind, by_picture)
        least = max(0, by_kind.count - 2) / by_kind.count
        yield count_right("tiles of kinds left out: signs right", by_kind.right, by_kind.count, least, "all but two")
        yield from pooled("tiles of pictures left out", [by_picture], 0.95)
        tallies += [filled, by_kind, by_picture]
    print(*(f"{tally.name}: {line}" for tally in tallies for line in tally.wrong[:60]), sep="\n", file=sys.stderr)


def main() -> None:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--share", type=float, default=1.0, help="part of the rendered tables")
    parser.add_argument("--real", action="store_true", help="only what needs no training and no rendering")
    options = parser.parse_args()
    for figure in figures(Form(options.data, options.share, options.real)):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
