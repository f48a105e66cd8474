"""Brings the catalogues up to date: `python -m scorer.locale.extract`.

Collects every sentence marked with `msg(` in the code and every name in the data files, writes them to
`scorer.pot`, merges them into each `scorer.po` (translations stay; one that no longer fits its sentence is
marked fuzzy) and compiles `scorer.mo`. Equal input gives equal bytes. Needs Babel, which scoring does not.
"""

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from scorer.rules.catalogue import (
    BUILDINGS,
    CHARACTERS,
    COURT_BUILDINGS,
    EXPANSIONS,
    PIECES_IN_BOX,
    QUESTS,
    RESOURCES,
    RULE_SETS,
    RULINGS,
    TERRAINS,
)
from scorer.texts import LANGUAGES, LOCALE, SOURCE_LANGUAGE

PACKAGE = LOCALE.parent
TEMPLATE = LOCALE / "scorer.pot"
TRANSLATED = tuple(language for language in LANGUAGES if language != SOURCE_LANGUAGE)

# What a comment above a sentence starts with if it is meant for translators.
COMMENT = "TRANSLATORS:"
# Headers that would change from run to run or from machine to machine.
UNSTABLE = ("POT-Creation-Date", "PO-Revision-Date", "Generated-By")
# Headers that say nothing here: translators are named in the comment at the top of their file.
UNUSED = ("Report-Msgid-Bugs-To", "Last-Translator", "Language-Team")


class Undated(Catalog):
    """A catalogue whose header depends on nothing but its language."""

    def _headers(self) -> list[tuple[str, str]]:
        headers = [header for header in self._get_mime_headers() if header[0] not in UNSTABLE + UNUSED]
        name, value = headers[-1]
        return [*headers[:-1], (name, f"{value}\n")]

    mime_headers = property(_headers, Catalog._set_mime_headers)


def po_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "scorer.po"


def mo_file(language: str) -> Path:
    return po_file(language).with_suffix(".mo")


def names() -> Iterator[tuple[str, str, str]]:
    """Every name of the data files: the name, its file, and what it names."""
    for terrain in TERRAINS:
        yield terrain, "dominoes.csv", "terrain"
    for building in BUILDINGS.values():
        yield building.name, "buildings.toml", "building"
    for character in CHARACTERS.values():
        yield character.name, "court.toml", "character of The Court"
        if character.counts and character.counts not in RESOURCES:
            yield character.counts, "court.toml", "what a character of The Court counts around it"
    for resource in RESOURCES.values():
        yield resource.name, "court.toml", "resource of The Court"
    for tile in COURT_BUILDINGS.values():
        yield tile.name, "court.toml", "building of The Court"
    for quest in QUESTS.values():
        yield quest.name, "quests.toml", "quest"
    for rules in RULE_SETS.values():
        yield rules.name, "rulesets.toml", "rule set"
    for expansion in EXPANSIONS.values():
        yield expansion.name, "rulesets.toml", "expansion"
    for piece in PIECES_IN_BOX:
        yield piece, "rulesets.toml", "piece of the game"
    for ruling in RULINGS.values():
        yield ruling.text, "rulings.toml", "ruling that a table may switch"


def template() -> Catalog:
    """Everything there is to translate, in the order of the code and then of the data."""
    catalogue = Undated(project="kingdom-scorer", version="1", charset="utf-8", fuzzy=False)
    catalogue.header_comment = "# What kingdom-scorer says. Written by `python -m scorer.locale.extract`."
    sentences = extract_from_dir(PACKAGE, [("**.py", "python")], keywords={"msg": None}, comment_tags=(COMMENT,))
    for file, _line, sentence, comments, _context in sorted(sentences, key=lambda found: found[:2]):
        catalogue.add(sentence, locations=[(f"{PACKAGE.name}/{file}", 0)], auto_comments=comments)
    for name, file, what in names():
        catalogue.add(name, locations=[(f"{PACKAGE.name}/rules/data/{file}", 0)], auto_comments=[what])
    return catalogue


def translated(language: str) -> Catalog:
    """The catalogue of a language as it is on disk; empty for a new language."""
    catalogue = Undated(locale=language, project="kingdom-scorer", version="1", charset="utf-8", fuzzy=False)
    if po_file(language).exists():
        with po_file(language).open("rb") as file:
            old = read_po(file, locale=language)
        catalogue.header_comment = old.header_comment
        for message in sentences_of(old):
            catalogue[message.id] = message
    else:
        catalogue.header_comment = f"# What kingdom-scorer says, in {catalogue.locale.english_name}."
    return catalogue


def sentences_of(catalogue: Iterable[Message]) -> list[Message]:
    """The entries of a catalogue without its header."""
    return [message for message in catalogue if message.id]


def po_bytes(catalogue: Catalog) -> bytes:
    out = BytesIO()
    write_po(out, catalogue, include_lineno=False, ignore_obsolete=True)
    return out.getvalue()


def mo_bytes(catalogue: Catalog) -> bytes:
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def main() -> None:
    wanted = template()
    TEMPLATE.write_bytes(po_bytes(wanted))
    for language in TRANSLATED:
        catalogue = translated(language)
        catalogue.update(wanted)
        po_file(language).parent.mkdir(parents=True, exist_ok=True)
        po_file(language).write_bytes(po_bytes(catalogue))
        mo_file(language).write_bytes(mo_bytes(catalogue))
        missing = [message for message in sentences_of(catalogue) if message.fuzzy or not message.string]
        print(f"{language}: {len(wanted) - len(missing)} of {len(wanted)} translated")
        for message in missing:
            print(f"  {'fuzzy' if message.fuzzy else 'missing'}: {message.id}")


if __name__ == "__main__":
    main()
