"""What a profile learnt and how much it helps, in sentences."""

from __future__ import annotations

from scorer.calibration.profile import PRINTS, Profile, Trial
from scorer.calibration.teaching import is_current
from scorer.rules.message import Message, Term, msg

SIGN = msg("Signs on a building")
HEADS = {
    "terrain": msg("Terrain"),
    "crowns": msg("Crowns"),
    "building": msg("Building"),
    "knight": msg("knight"),
    "tower": msg("tower"),
    "queen": msg("Queen"),
    "giant": msg("giant"),
    "resource": msg("Resource"),
    "court": msg("The Court"),
    "side": msg("Side of a building"),
    "picture": msg("Picture of a building"),
    PRINTS: msg("Printed picture"),
}
"""What the networks are asked, by the name of the question; all other questions are about signs on buildings."""


def about_profile(profile: Profile) -> list[Message]:
    """Everything there is to say of a profile, but its name."""
    lines = []
    if profile.castles:
        lines.append(msg("castles: {colours}", colours=", ".join(profile.castles)))
    if profile.knights is not None:
        lines.append(msg("knights: {count}", count=profile.knights))
    if profile.balance:
        lines.append(about_colours(profile))
    lines += [*about_lenses(profile), *about_trials(profile)]
    if not is_current(profile):
        lines.append(msg("taught to another model: its squares will be looked at again when it is used"))
    return lines


def about_trials(profile: Profile) -> list[Message]:
    """What each head misreads before and after, the wrong ones first."""
    trials = profile.learnt.trials if profile.learnt else ()
    return [_about_trial(trial) for trial in sorted(trials, key=lambda trial: -trial.before - trial.after)]


def _about_trial(trial: Trial) -> Message:
    values = {
        "head": Term(HEADS.get(trial.head, SIGN).template),
        "count": trial.count,
        "before": trial.before,
        "after": trial.after,
    }
    if trial.helps:
        return msg("{head}: of {count} squares {before} were misread before, {after} after", **values)
    return msg(
        "{head}: of {count} squares {before} were misread before, {after} after: not applied, it would hurt", **values
    )


def about_colours(profile: Profile) -> Message:
    assert profile.balance
    gains = ", ".join(f"{gain:.2f}" for gain in (profile.balance.red, profile.balance.green, profile.balance.blue))
    tried = profile.learnt.balance if profile.learnt else None
    if tried is None:
        return msg("colours: red, green, blue times {gains}", gains=gains)
    values = {"gains": gains, "before": tried[0], "after": tried[1]}
    if tried[1] <= tried[0]:
        return msg("colours: red, green, blue times {gains}; {before} squares misread without, {after} with", **values)
    return msg(
        "colours: red, green, blue times {gains}; {before} squares misread without, {after} with: "
        "not applied, it would hurt",
        **values,
    )


def about_lenses(profile: Profile) -> list[Message]:
    return [
        msg(
            "lens of {camera}: corners off by {before} before, {after} after, in thousandths of the photo",
            camera=camera or "?",
            before=lens.plain,
            after=lens.error,
        )
        for camera, lens in profile.lenses.items()
    ]
