"""Every sentence in the user's language: gettext catalogues in `locale/`, English where none speaks."""

import gettext
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from scorer.rules.message import Message, Term

LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "ru", "he")
LOCALE = Path(__file__).parent / "locale"

Translate = Callable[[Message | str], str]


def preferred_language() -> str:
    """The first language of the environment that we speak, else English."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for wish in os.environ.get(variable, "").split(":"):
            language = wish.split(".")[0].split("_")[0].lower()
            if language in LANGUAGES:
                return language
            if wish:
                break
    return "en"


def translator(language: str | None = None) -> Translate:
    """A function that says a message, or a single word of the game, in a language; by default the user's."""
    return _translator(language or preferred_language())


@cache
def _translator(language: str) -> Translate:
    catalogue = gettext.translation("scorer", LOCALE, [language], fallback=True)

    def say(text: Message | str) -> str:
        if not isinstance(text, Message):
            return catalogue.gettext(text) if text else ""
        values = {key: say(value) if isinstance(value, Term) else value for key, value in text.values.items()}
        return catalogue.gettext(text.template).format_map(values)

    return say
