"""Thousands of damaged inputs for every parser: nothing comes out but results and named errors."""

import random
import time
from pathlib import Path

import pytest

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import TARGETS, run

INPUTS = 3000
SECONDS = 1.2
"""For each parser; slow ones get fewer inputs, at least LEAST."""
LEAST = 100
FINDS = Path(__file__).parent / "finds"


@pytest.mark.parametrize("name", TARGETS)
def test_sound_inputs_are_taken(name: str) -> None:
    for seed in TARGETS[name].seeds():
        run(TARGETS[name], seed)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_inputs_end_in_a_result_or_a_named_error(name: str) -> None:
    target, rng = TARGETS[name], random.Random(name)
    seeds, words = list(target.seeds()), [word.encode() for word in target.words]
    start = time.process_time()
    for number in range(INPUTS):
        if number >= LEAST and time.process_time() - start > SECONDS:
            break
        data = mutated(rng.choice(seeds), words, rng, target.most)
        try:
            run(target, data)
        except Exception as error:
            raise AssertionError(f"{name} number {number}: {data!r}") from error


@pytest.mark.parametrize("find", sorted(FINDS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_broke_once_stays_whole(find: Path) -> None:
    run(TARGETS[find.parent.name], find.read_bytes())
