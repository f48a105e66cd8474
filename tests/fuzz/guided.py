"""Fuzzes one parser with atheris, in a process that libFuzzer ends; started by `python -m tests.fuzz`."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["scorer", "PIL", "csv", "json", "tomllib", "zipfile", "base64"]):
    from tests.fuzz import targets
from tests.fuzz.mutate import mutated


def main(name: str, corpus: Path, *options: str) -> None:
    target, targets.MEMORY = targets.TARGETS[name], corpus.parent
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = [word.encode() for word in target.words]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        return mutated(data, words, rng, most) if rng.random() < 0.5 else atheris.Mutate(data, most)

    arguments = [sys.argv[0], str(corpus), f"-max_len={target.most}", "-rss_limit_mb=2048", "-timeout=600", *options]
    atheris.Setup(arguments, lambda data: targets.run(target, data), custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
