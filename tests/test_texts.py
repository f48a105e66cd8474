"""Every sentence and name in every language: complete, with its placeholders, compiled, in the books' words."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from scorer.locale.extract import TEMPLATE, TRANSLATED, mo_file, po_file, sentences_of, template, translated
from scorer.pad import ROW_NAMES, row_name
from scorer.rules import score
from scorer.rules.catalogue import BUILDINGS, CHARACTERS, QUESTS, RESOURCES, TERRAINS
from scorer.rules.message import Message, Term, msg
from scorer.rules.notation import parse
from scorer.rules.score import Score
from scorer.texts import LANGUAGES, preferred_language, translator

SAMPLES = sorted((Path(__file__).parents[1] / "samples" / "kingdoms").glob("*.kingdom"))

every_language = pytest.mark.parametrize("language", TRANSLATED)


def strings(language: str) -> dict[str, str]:
    return {str(message.id): str(message.string) for message in sentences_of(translated(language))}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_seven_languages_besides_english() -> None:
    assert LANGUAGES == ("en", "fr", "de", "es", "it", "pt", "ru", "he")
    assert LANGUAGES[1:] == TRANSLATED


def test_template_is_up_to_date() -> None:
    with TEMPLATE.open("rb") as file:
        written = {message.id for message in sentences_of(read_po(file))}
    assert written == {message.id for message in sentences_of(template())}, "run python -m scorer.locale.extract"


@every_language
def test_everything_is_translated(language: str) -> None:
    wanted = {message.id for message in sentences_of(template())}
    have = {message.id for message in sentences_of(translated(language)) if message.string and not message.fuzzy}
    assert wanted - have == set(), "run python -m scorer.locale.extract and translate these"
    assert have - wanted == set(), "run python -m scorer.locale.extract: these are no longer said"


@every_language
def test_placeholders_are_kept(language: str) -> None:
    differing = [key for key, text in strings(language).items() if placeholders(key) != placeholders(text)]
    assert differing == []


@every_language
def test_compiled_catalogue_is_the_readable_one(language: str) -> None:
    with mo_file(language).open("rb") as file:
        compiled = {str(message.id): str(message.string) for message in sentences_of(read_mo(file))}
    assert compiled == strings(language)


@every_language
def test_file_says_its_language(language: str) -> None:
    with po_file(language).open("rb") as file:
        assert read_po(file).locale_identifier == language


@every_language
def test_names_of_the_data_are_there(language: str) -> None:
    names = {
        *TERRAINS,
        *RESOURCES,
        *(building.name for building in BUILDINGS.values()),
        *(character.name for character in CHARACTERS.values()),
        *(character.counts for character in CHARACTERS.values() if character.counts),
        *(quest.name for quest in QUESTS.values()),
    }
    assert names - set(strings(language)) == set()


def messages(result: Score) -> Iterator[Message]:
    for player in result.players:
        yield from (item.reason for item in player.explanation)
        yield from (problem.text for problem in player.problems)
        yield from (doubt.text for doubt in player.doubts)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_whatever_scoring_says_is_in_the_catalogue(sample: Path) -> None:
    known = {str(message.id) for message in sentences_of(template())}
    said: set[str] = set()
    for message in messages(score(parse(sample.read_text("utf-8"), sample.name))):
        said.add(message.template)
        said |= {str(value) for value in message.values.values() if isinstance(value, Term)}
    assert said
    assert said - known == set()


# As the rule books print them.
@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("fr", ("Boulangerie", "Filerie", "Église", "Château Ambulant", "Camp d'entraînement", "Tour de la Reine")),
        (
            "es",
            ("Panadería", "Sastrería", "Iglesia", "Castillo Viajero", "Campo de entrenamiento", "Torre de la Reina"),
        ),
        ("it", ("Panetteria", "Filanda", "Chiesa", "Castello Ambulante", "Campo di allenamento", "Torre della Regina")),
        ("pt", ("Padaria", "Oficina de tecelagem", "Igreja", "Castelo Andante", "Campo de Treino", "Torre da rainha")),
        ("ru", ("Пекарня", "Ткацкий цех", "Церковь", "Бродячий замок", "Тренировочный лагерь", "Башня королевы")),
        ("he", ("המאפיה", "מפעל האריגה", "כנסייה", "הטירה הנוודת", "מחנה האימונים", "מגדל המלכה")),
    ],
)
def test_buildings_are_called_as_in_the_rule_books(language: str, names: tuple[str, ...]) -> None:
    buildings = ("bakery", "weaving_shop", "church", "travelling_castle", "training_camp", "queens_tower")
    say = translator(language)
    assert tuple(say(Term(BUILDINGS[building].name)) for building in buildings) == names


def test_german_buildings_of_the_worked_example() -> None:
    say = translator("de")
    buildings = ("sawmill", "church", "big_tavern", "statue", "guardtower", "travelling_castle")
    assert [say(Term(BUILDINGS[building].name)) for building in buildings] == [
        "Sägewerk",
        "Kirche",
        "Große Taverne",
        "Statue",
        "Wachturm",
        "Das wandelnde Schloss",
    ]


def test_french_sentences() -> None:
    say = translator("fr")
    assert say(msg("{player} wins with {total} points", player="Ada", total=71)) == "Ada gagne avec 71 points"
    assert say(msg("the kingdom has no castle")) == "le royaume n'a pas de château"
    queen = msg(
        "{terrain}: {size} × ({crowns} + Queen) = {points}", terrain=Term("grassland"), size=4, crowns=3, points=16
    )
    assert say(queen) == "prairie\u00a0: 4 × (3 + Reine) = 16"
    sawmill = msg(
        "{building}: {count} × {terrain}, {each} each = {points}",
        building=Term("Sawmill"),
        count=3,
        terrain=Term("forest"),
        each=2,
        points=6,
    )
    assert say(sawmill) == "Scierie\u00a0: 3 × forêt, 2 par domaine = 6"


def test_only_terms_are_translated_inside_a_sentence() -> None:
    # A player may be called after a building.
    say = translator("fr")
    assert say(msg("{player} wins with {total} points", player="Statue", total=3)).startswith("Statue gagne")
    assert say(msg("{player} wins with {total} points", player="Church", total=3)).startswith("Church gagne")


def test_english_says_the_templates_themselves() -> None:
    say = translator("en")
    sentence = msg("{player} wins with {total} points", player="Ada", total=71)
    assert say(sentence) == str(sentence) == "Ada wins with 71 points"
    assert say(Term("Fishmonger's")) == "Fishmonger's"


def test_empty_word_stays_empty() -> None:
    # An empty message id would give the header of the catalogue.
    assert translator("fr")("") == ""


@every_language
def test_every_sentence_can_be_said(language: str) -> None:
    say = translator(language)
    for message in sentences_of(template()):
        text = str(message.id)
        assert say(Message(text, dict.fromkeys(placeholders(text), 2)))


def test_pad_rows_as_in_the_french_book() -> None:
    say = translator("fr")
    terrains = ["Blé", "Forêt", "Lac", "Prairie", "Marais", "Montagne", "Ville"]
    assert [row_name(terrain, say) for terrain in TERRAINS] == terrains
    assert row_name("wealth", say) == "Fortune"
    assert row_name("quest:four-corners-wheat", say) == "Les quatre coins\u00a0: blé"


def test_pad_rows_are_hebrew() -> None:
    say = translator("he")
    for row in ROW_NAMES:
        letters = [character for character in row_name(row, say) if character.isalpha()]
        assert letters
        assert all("\u05d0" <= letter <= "\u05ea" for letter in letters), row
    assert row_name("wheat", say) == "שדות חיטה"
    assert row_name("coins", say) == "מטבעות"
    assert row_name("total", say) == "סך הכול"


def test_no_row_name_means_another_row_elsewhere() -> None:
    # A pad may name its rows in any language. Both rows of buildings are called alike; no pad has both.
    meanings: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for row in ROW_NAMES:
            name = row_name(row, translator(language)).casefold()
            meanings.setdefault(name, set()).add(row.removesuffix("_total"))
    assert {name: rows for name, rows in meanings.items() if len(rows) > 1} == {}


def test_hebrew_sums_run_from_left_to_right() -> None:
    start, end = "\u2066\u2068", "\u2069"
    for text in strings("he").values():
        assert sum(text.count(mark) for mark in start) == text.count(end)
    say = translator("he")
    assert say(msg("coins: {coins} ÷ 3 = {points}", coins=11, points=3)) == "מטבעות: \u206611 ÷ 3 = 3\u2069"


def test_french_colons_stand_apart_and_never_alone_on_a_line() -> None:
    assert [text for text in strings("fr").values() if " :" in text or " ;" in text] == []


def environment(monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"LANG": ""}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_AT@euro"}, "de"),
        ({"LANG": "he_IL"}, "he"),
        ({"LANG": "nl_NL.UTF-8"}, "en"),
        ({"LC_MESSAGES": "es_ES.UTF-8", "LANG": "de_DE.UTF-8"}, "es"),
        ({"LC_ALL": "it_IT.UTF-8", "LANG": "de_DE.UTF-8"}, "it"),
        ({"LANGUAGE": "pt_BR:fr"}, "pt"),
        ({"LANGUAGE": "pt_BR:fr", "LANG": "de_DE.UTF-8"}, "pt"),
        ({"LANGUAGE": "", "LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANGUAGE": "nl:fr"}, "fr"),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "en"),
    ],
)
def test_preferred_language(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], language: str) -> None:
    environment(monkeypatch, **variables)
    assert preferred_language() == language


@pytest.mark.parametrize(("language", "letters"), [("he", "[\u0590-\u05ff]"), ("ru", "[\u0400-\u04ff]")])
def test_a_language_is_written_in_its_own_letters(language: str, letters: str) -> None:
    said = {text: re.sub(r"\{\w+\}", "", text) for text in strings(language).values()}
    foreign = [text for text, words in said.items() if re.search("[a-z]", words) and not re.search(letters, words)]
    assert foreign == []


def test_no_language_borrows_the_sentences_of_another() -> None:
    french = strings("fr")
    for language in ("de", "es", "it", "pt"):
        same = [text for key, text in strings(language).items() if text == french[key] and len(text.split()) > 3]
        assert [text for text in same if "{" not in text] == [], language
