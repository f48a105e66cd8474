"""Thousands of damaged inputs for every parser: nothing comes out but results and named errors."""

import time
from itertools import islice
from pathlib import Path

import pytest

from tests.fuzz.targets import NAMED, TARGETS, run

INPUTS = 3000
SECONDS = 1.2
"""For each parser; slow ones get fewer inputs, at least LEAST."""
LEAST = 100
FINDS = Path(__file__).parent / "finds"


@pytest.mark.parametrize("name", TARGETS)
def test_sound_inputs_are_taken(name: str) -> None:
    """Nearly all: among them are pictures of kinds that are not read, and kingdoms known to be wrong."""
    seeds = list(TARGETS[name].seeds())
    refused = 0
    for seed in seeds:
        try:
            TARGETS[name].run(seed)
        except NAMED:
            refused += 1
    assert refused <= len(seeds) // 5


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_inputs_end_in_a_result_or_a_named_error(name: str) -> None:
    start = time.process_time()
    for number, data in enumerate(islice(TARGETS[name].damaged(name), INPUTS)):
        if number >= LEAST and time.process_time() - start > SECONDS:
            break
        try:
            run(TARGETS[name], data)
        except Exception as error:
            raise AssertionError(f"{name} number {number}: {data!r}") from error


@pytest.mark.parametrize("find", sorted(FINDS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_broke_once_stays_whole(find: Path) -> None:
    run(TARGETS[find.parent.name], find.read_bytes())
