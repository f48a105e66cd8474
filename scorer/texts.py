"""Every sentence in the user's language: gettext catalogues in `locale/`, English where none speaks."""

import gettext
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from scorer.rules.message import Message, Term

SOURCE_LANGUAGE = "en"
LANGUAGES = (SOURCE_LANGUAGE, "fr", "de", "es", "it", "pt", "ru", "he")
LOCALE = Path(__file__).parent / "locale"

Translate = Callable[[Message | str], str]


def preferred_language() -> str:
    """The language of the environment, by the rules of gettext; English where we do not speak it."""
    wishes = [wish for wish in os.environ.get("LANGUAGE", "").split(":") if wish]
    stated = (os.environ.get(variable) for variable in ("LC_ALL", "LC_MESSAGES", "LANG"))
    wishes.append(next((locale for locale in stated if locale), SOURCE_LANGUAGE))
    languages = (wish.split(".")[0].split("_")[0].lower() for wish in wishes)
    return next((language for language in languages if language in LANGUAGES), SOURCE_LANGUAGE)


def translator(language: str | None = None) -> Translate:
    """A function that says a message, or a single word of the game, in a language; by default the user's."""
    return _translator(language or preferred_language())


@cache
def _translator(language: str) -> Translate:
    catalogue = gettext.translation("scorer", LOCALE, [language], fallback=True)

    def say(text: Message | str) -> str:
        if not isinstance(text, Message):
            return catalogue.gettext(text) if text else ""
        values = {key: say(value) if isinstance(value, Term | Message) else value for key, value in text.values.items()}
        return catalogue.gettext(text.template).format_map(values)

    return say
