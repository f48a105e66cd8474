"""Writes rendered photos and, beside each, what is really in it.

python -m scorer.render --out FOLDER --count 9 --rules queendomino --kingdoms 2
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import cv2

from scorer.render import PhotographedTables, PhotographedTiles, Recipe, bare_tables, render, sample_photos
from scorer.render.lay import BOXES
from scorer.render.splits import data_folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder to write NUMBER.jpg and NUMBER.json to")
    parser.add_argument("--seed", type=int, default=0, help="number of the first photo")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--size", default="1600x1200", help="width x height in pixels")
    parser.add_argument("--kingdoms", type=int, default=1, help="0 for a table without any")
    parser.add_argument("--rules", choices=list(BOXES), default="kingdomino")
    parser.add_argument("--kingdom-size", type=int, choices=(5, 7, 9), default=5)
    parser.add_argument("--kind", choices=("sample", "drawn", "photographed"), default="sample")
    parser.add_argument("--data", type=Path, default=data_folder(), help="photographs; SCORER_DATA if not given")
    options = parser.parse_args()
    width, _, height = options.size.partition("x")
    recipe = Recipe(
        photo_sizes=((int(width), int(height)),),
        kingdoms=(options.kingdoms, options.kingdoms),
        rules=(options.rules,),
        sizes=(options.kingdom_size,),
        square_pixels=(int(width) / 16, int(width) / 6),
    )
    if options.kind == "sample":
        recipe = sample_photos(recipe)
    elif options.kind == "photographed":
        if options.data is None:
            parser.error("--kind photographed needs --data or SCORER_DATA")
        recipe = replace(recipe, tiles=PhotographedTiles(options.data), tables=PhotographedTables(options.data))
    if not options.kingdoms:
        recipe = bare_tables(recipe)
    options.out.mkdir(parents=True, exist_ok=True)
    for seed in range(options.seed, options.seed + options.count):
        scene = render(seed, recipe=recipe)
        cv2.imwrite(str(options.out / f"{seed}.jpg"), scene.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
        truth = [
            {"corners": k.corners.round(2).tolist(), "grid": k.grid, "castle_colour": k.castle_colour}
            for k in scene.kingdoms
        ]
        (options.out / f"{seed}.json").write_text(json.dumps({"kingdoms": truth}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
