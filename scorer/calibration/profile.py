"""A profile: what the reader was told about one copy of the game and one table, as a value and as a file.

The file is JSON. It may come from a stranger: its size is limited, everything in it is checked, nothing in it is ever
run, and the pictures in it are opened like any other photo.
"""

from __future__ import annotations

import base64
import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from scorer.calibration.anchors import Network
from scorer.calibration.camera import Lens
from scorer.calibration.colour import Balance
from scorer.calibration.folder import valid_name
from scorer.errors import ScorerError, UnreadableInput
from scorer.names import one_line
from scorer.rules.notation import parse_square
from scorer.vision.castle import COLOURS
from scorer.vision.rectify import Floats

FORMAT = "profile/1"
MAX_BYTES = 32 * 2**20
"""A taught square takes about 6 kB."""
MAX_EXAMPLES = 3000
"""More than the squares of sixty kingdoms; learning from them takes minutes where many are misread."""
MAX_LENSES = 50
MAX_KNIGHTS = 100
NETWORKS: tuple[Network, ...] = ("classify", "buildings")
PRINTS = "prints"
"""Stands for a head in the trial of prints that are known again."""


@dataclass(frozen=True)
class Example:
    """A square somebody knows. cell: what it shows, in notation; photo: where it was seen; picture: a JPEG of it as
    `network` is shown it, in the colours of the photo."""

    cell: str
    photo: str
    network: Network
    picture: bytes = field(repr=False)


@dataclass(frozen=True)
class Trial:
    """How many of `count` examples a head misread, before and after learning from the others."""

    network: Network
    head: str
    count: int
    before: int
    after: int

    @property
    def helps(self) -> bool:
        """A lesson that makes anything worse is not applied."""
        return self.after <= self.before


@dataclass(frozen=True, eq=False)
class Learnt:
    """What examples came to with the networks of these checksums. lessons: (D, answers) by network and head; prints:
    how each network sees its examples (K, D), zero where one is set aside."""

    models: dict[str, str]
    lessons: dict[Network, dict[str, Floats]]
    trials: tuple[Trial, ...]
    balance: tuple[int, int] | None = None
    """Squares misread without and with the profile's colours, where it has any; they are used if that is not more."""
    prints: dict[Network, Floats] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Profile:
    """balance: colours of the light; lenses: by camera; castles, knights: what the edition's box holds."""

    name: str
    about: str = ""
    castles: tuple[str, ...] = ()
    knights: int | None = None
    balance: Balance | None = None
    lenses: dict[str, Lens] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    learnt: Learnt | None = None


def summary(profile: Profile) -> dict[str, Any]:
    """The `profile-summary/1` form: all but pictures and numbers."""
    learnt = profile.learnt
    return {
        "format": "profile-summary/1",
        "name": profile.name,
        "about": profile.about,
        "castles": list(profile.castles),
        "knights": profile.knights,
        "examples": len(profile.examples),
        "photos": len({example.photo for example in profile.examples}),
        "colours": bool(profile.balance),
        "cameras": list(profile.lenses),
        "models": learnt.models if learnt else {},
        "trials": [
            {"head": t.head, "count": t.count, "before": t.before, "after": t.after, "applied": t.helps}
            for t in (learnt.trials if learnt else ())
        ],
    }


def to_bytes(profile: Profile) -> bytes:
    """The file of a profile; equal profiles are equal files."""
    form: dict[str, Any] = {"format": FORMAT, "name": profile.name}
    if profile.about:
        form["about"] = profile.about
    if profile.castles:
        form["castles"] = list(profile.castles)
    if profile.knights is not None:
        form["knights"] = profile.knights
    if profile.balance:
        form["balance"] = asdict(profile.balance)
    if profile.lenses:
        form["lenses"] = {camera: asdict(lens) for camera, lens in sorted(profile.lenses.items())}
    if profile.examples:
        form["examples"] = [
            {"cell": e.cell, "photo": e.photo, "network": e.network, "picture": base64.b64encode(e.picture).decode()}
            for e in profile.examples
        ]
    if profile.learnt:
        form["learnt"] = {
            "models": profile.learnt.models,
            "lessons": {
                network: {head: _numbers(lesson) for head, lesson in heads.items()}
                for network, heads in profile.learnt.lessons.items()
            },
            "trials": [asdict(trial) for trial in profile.learnt.trials],
            "balance": profile.learnt.balance,
            "prints": {network: _numbers(views) for network, views in profile.learnt.prints.items()},
        }
    # What UTF-8 cannot hold, half a surrogate pair, becomes JSON's own escape.
    return (json.dumps(form, ensure_ascii=False, indent=1) + "\n").encode(errors="backslashreplace")


def from_bytes(data: bytes, source: str) -> Profile:
    """A profile from its file; raises UnreadableInput that says what is wrong with it."""
    if len(data) > MAX_BYTES:
        raise UnreadableInput(f"{source}: larger than {MAX_BYTES // 2**20} MB, so not a profile")
    try:
        form = json.loads(data)
        if not isinstance(form, dict) or form.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        return _Checked(form).profile()
    except UnicodeDecodeError:
        reason = "it is no text"
    except json.JSONDecodeError as error:
        reason = f"line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        reason = "it is nested too deeply"
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, ScorerError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
    raise UnreadableInput(f"{source}: not a profile that can be used: {reason}") from None


def _numbers(values: Floats) -> dict[str, Any]:
    return {
        "shape": list(values.shape),
        "float16": base64.b64encode(values.astype("<f2").tobytes()).decode(),
    }


class _Checked:
    """The fields of a profile's file, each checked as it is taken."""

    def __init__(self, form: dict[str, Any]) -> None:
        self.form = form

    def profile(self) -> Profile:
        form = self.form
        name, about = str(form["name"]), one_line(str(form.get("about", "")))
        if not valid_name(name):
            raise ValueError(f"{name!r} is no name for a profile")
        castles = tuple(str(colour) for colour in form.get("castles", ()))
        if not set(castles) <= set(COLOURS):
            raise ValueError(f"castles are {', '.join(COLOURS)}")
        knights = form.get("knights")
        if knights is not None and (type(knights) is not int or not 0 <= knights <= MAX_KNIGHTS):
            raise ValueError(f"knights is a number up to {MAX_KNIGHTS}")
        lenses = {one_line(str(camera)): Lens(**_floats(lens)) for camera, lens in form.get("lenses", {}).items()}
        examples = tuple(self._example(entry) for entry in form.get("examples", ())[: MAX_EXAMPLES + 1])
        if len(examples) > MAX_EXAMPLES or len(lenses) > MAX_LENSES:
            raise ValueError(f"it holds more than {MAX_EXAMPLES} examples or {MAX_LENSES} lenses")
        balance = Balance(**_floats(form["balance"])) if "balance" in form else None
        learnt = self._learnt(form["learnt"]) if "learnt" in form else None
        for network, views in learnt.prints.items() if learnt else ():
            if len(views) != sum(example.network == network for example in examples):
                raise ValueError(f"its prints are not those of its {network} examples")
        return Profile(name, about, castles, knights, balance, lenses, examples, learnt)

    def _example(self, entry: dict[str, Any]) -> Example:
        cell, network = str(entry["cell"]), entry["network"]
        parse_square(cell)
        if network not in NETWORKS:
            raise ValueError(f"{network!r} is no network")
        return Example(cell, str(entry["photo"]), network, base64.b64decode(entry["picture"], validate=True))

    def _learnt(self, entry: dict[str, Any]) -> Learnt:
        lessons: dict[Network, dict[str, Floats]] = {
            network: {str(head): _array(values) for head, values in entry["lessons"][network].items()}
            for network in NETWORKS
            if network in entry["lessons"]
        }
        trials = tuple(
            Trial(t["network"], str(t["head"]), int(t["count"]), int(t["before"]), int(t["after"]))
            for t in entry["trials"]
        )
        balance = entry.get("balance")
        # Profiles made before prints were known have none.
        views = entry.get("prints", {})
        prints = {network: _array(views[network]) for network in NETWORKS if network in views}
        return Learnt(
            {str(name): str(checksum) for name, checksum in entry["models"].items()},
            lessons,
            trials,
            None if balance is None else (int(balance[0]), int(balance[1])),
            prints,
        )


def _floats(entry: dict[str, Any]) -> dict[str, float]:
    values = {str(key): float(value) for key, value in entry.items()}
    if not all(math.isfinite(value) for value in values.values()):
        raise ValueError("a number is not finite")
    return values


def _array(entry: dict[str, Any]) -> Floats:
    rows, columns = (int(side) for side in entry["shape"])
    values = np.frombuffer(base64.b64decode(entry["float16"], validate=True), "<f2").astype(np.float32)
    if not np.isfinite(values).all():
        raise ValueError("a number is not finite")
    return values.reshape(rows, columns)
