"""Damages an input: bytes of anything, words of a text, values of a JSON form."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

ODD_BYTES = (b"\0", b"\xff", b"\n", b"\r", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"9" * 400, b"9" * 5000, b"[" * 2000)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, "", "?", "\0", "\ud800", "{", "{0}", "{a.b}", "9" * 5000, "w9+knight*99"),
    *(0, -1, 1, 2**31, 2**63, 10**400, 0.5, -0.0, float("nan"), float("inf"), float("-inf")),
    *([], {}, [[]], [None], {"": None}, [0, 0], ["", ""], [[0, 0]] * 4),
)
MAX_CHANGES = 4


def mutated(data: bytes, words: Sequence[bytes], rng: random.Random, most: int) -> bytes:
    """The input with one to a few changes, at most `most` bytes long."""
    if data.lstrip().startswith(b"{") and rng.random() < 0.7:
        try:
            form = json.loads(data)
        except (ValueError, RecursionError):
            pass
        else:
            for _ in range(rng.randint(1, MAX_CHANGES)):
                form = _mutated_form(form, rng)
            return json.dumps(form, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")[:most]
    changed = bytearray(data)
    for _ in range(rng.randint(1, MAX_CHANGES)):
        at = rng.randint(0, len(changed))
        end = min(len(changed), at + rng.choice((1, 1, 2, 4, 16, 200)))
        match rng.randrange(6):
            case 0:
                del changed[at:end]
            case 1:
                changed[at:at] = rng.choice(words) if words else rng.randbytes(4)
            case 2:
                changed[at:end] = rng.choice(ODD_BYTES)
            case 3:
                changed[at:at] = changed[at:end]
            case 4:
                start = rng.randint(0, len(changed))
                changed[at:end] = changed[start : start + end - at]
            case 5 if changed:
                changed[at % len(changed)] ^= 1 << rng.randrange(8)
    return bytes(changed[:most])


def _mutated_form(form: Any, rng: random.Random) -> Any:
    """The form with one value somewhere in it changed, removed or doubled."""
    if isinstance(form, dict) and form and rng.random() < 0.85:
        key = rng.choice(list(form))
        rest = {name: value for name, value in form.items() if name != key}
        match rng.randrange(8):
            case 0:
                return rest
            case 1:
                return {**rest, rng.choice(list(form)) + rng.choice(("", "x", "\0")): form[key]}
        return {**form, key: _mutated_form(form[key], rng)}
    if isinstance(form, list) and form and rng.random() < 0.85:
        at = rng.randrange(len(form))
        match rng.randrange(8):
            case 0:
                return form[:at] + form[at + 1 :]
            case 1:
                return form[:at] + form[at:] * 2
        return [*form[:at], _mutated_form(form[at], rng), *form[at + 1 :]]
    if isinstance(form, str) and form and rng.random() < 0.6:
        at = rng.randrange(len(form))
        return form[:at] + rng.choice(("", "\0", "é", "{", "}", "=", " ", "9", "\n")) + form[at + rng.randrange(2) :]
    return rng.choice(ODD_VALUES)
