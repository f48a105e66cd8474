"""`report.html`: one page that needs nothing from elsewhere: totals, charts, thumbnails, links to the pictures."""

import os
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote

from scorer.batch import record
from scorer.batch.charts import bars, histogram
from scorer.batch.games import Form, Played, place_of, tournament
from scorer.batch.names import shown
from scorer.batch.results import Tally, least_confidence, read_results, why
from scorer.batch.task import Task
from scorer.output import write_bytes
from scorer.pad import ROW_NAMES, row_name
from scorer.rules.catalogue import TERRAINS
from scorer.rules.message import Message, msg
from scorer.texts import Translate, translator

MAX_CARDS = 2000
"""Kingdoms shown with a thumbnail: about 10 MB, which any browser takes. Doubtful and failed ones come first."""
CONFIDENCE_STEPS = (0, 50, 60, 70, 80, 90, 95, 99, 100)
PAGE = Template((Path(__file__).parent / "report.html").read_text("utf-8"))
RIGHT_TO_LEFT = ("he",)
MARKS = {"ok": "✓", "doubtful": "?", "failed": "✗"}
"""Statuses are told by a sign as well, not by colour alone."""
STATUSES: dict[str, Message] = {"ok": msg("ok"), "doubtful": msg("doubtful"), "failed": msg("failed")}


def write_report(out: Path, tally: Tally, games: Sequence[Played], tasks: Mapping[str, Task], language: str) -> None:
    """The page, in one of the languages; `tasks` by the photos' names as text."""
    say = translator(language)
    cards = _chosen(out)
    results = sum(tally.kingdoms.values())
    left_out = ""
    if len(cards) < results:
        left_out = say(msg("{count} of {all} are shown here; results.csv has all", count=len(cards), all=results))
    counts = [(say(msg("photos")), sum(tally.photos.values())), (say(msg("kingdoms")), tally.found)]
    counts += [(f"{MARKS[status]} {say(name)}", tally.kingdoms[status]) for status, name in STATUSES.items()]
    filters = [("all", say(msg("all"))), *((status, say(name)) for status, name in STATUSES.items())]
    page = PAGE.substitute(
        language=language,
        direction="rtl" if language in RIGHT_TO_LEFT else "ltr",
        title=escape(say(msg("Kingdoms read from photos"))),
        counts="".join(f"<li><b>{number}</b> {escape(name)}</li>" for name, number in counts),
        charts=_charts(tally, say),
        games=_games(games, say),
        filters="".join(
            f'<input type="radio" name="show" id="show-{status}"{" checked" * (status == "all")}>'
            f'<label for="show-{status}">{escape(name)}</label>'
            for status, name in filters
        ),
        search=escape(say(msg("Search"))),
        left_out=escape(left_out),
        cards="\n".join(_card(out, form, tasks, say) for form in cards),
    )
    write_bytes(out / "report.html", page.encode(), out / record.NEW)


def _chosen(out: Path) -> list[Form]:
    """The results to show, in their order; if there are too many, those that need a look."""
    needing: list[tuple[int, Form]] = []
    sound: list[tuple[int, Form]] = []
    for number, form in enumerate(read_results(out)):
        group = sound if form["status"] == "ok" else needing
        if len(group) < MAX_CARDS:
            group.append((number, form))
    return [form for _, form in sorted((needing + sound)[:MAX_CARDS], key=lambda item: item[0])]


def _charts(tally: Tally, say: Translate) -> str:
    steps = list(zip(CONFIDENCE_STEPS, (*CONFIDENCE_STEPS[1:], 101), strict=True))
    confidence = [(f"{low}", sum(tally.confidence[low:high])) for low, high in steps]
    terrains = [(say(ROW_NAMES[terrain]), tally.terrains[terrain]) for terrain in TERRAINS]
    return "".join(
        (
            bars(say(msg("Kingdoms by total")), histogram(tally.totals)),
            bars(say(msg("Points by terrain")), terrains),
            bars(say(msg("Kingdoms by their least certain square, in %")), confidence),
        )
    )


def _games(games: Sequence[Played], say: Translate) -> str:
    parts = []
    for event, result in tournament(games).items():
        rows = [
            [place_of(s.player, result.ranking), s.player, s.games, s.wins, s.total, f"{s.average:.1f}"]
            for s in result.standings
        ]
        titles = [msg("Place"), msg("Player"), msg("Games"), msg("Wins"), ROW_NAMES["total"], msg("Average")]
        parts.append(_table(event, [say(title) for title in titles], rows))
    for game in games:
        forms = sorted(game.results.values(), key=lambda form: int(form["place"]))
        rows = [[form["place"], form["player"], form["total"], say(STATUSES[form["status"]])] for form in forms]
        name = " · ".join(filter(None, (game.form["event"], game.form["game"])))
        if game.missing:
            missing = ", ".join(shown(seat.source) for seat in game.missing)
            name = say(msg("{game}: incomplete, without {photos}", game=name, photos=missing))
        parts.append(_table(name, [say(msg("Place")), say(msg("Player")), row_name("total", say), ""], rows))
    return "".join(parts)


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(shown(str(cell)))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(shown(title))}</caption><tr>{head}</tr>{body}</table>"


def _card(out: Path, form: Form, tasks: Mapping[str, Task], say: Translate) -> str:
    status, source = form["status"], form["source"]
    heading = f"<h3><bdi>{escape(shown(source))}</bdi></h3>"
    sign = f'<p class="sign">{MARKS[status]} {escape(say(STATUSES[status]))}</p>'
    if status == "failed":
        return f'<article class="failed">{heading}{sign}<p>{escape(form["message"])}</p></article>'
    task, picture = tasks[source], ""
    if form["picture"]:
        kept = record.load(out, task.source)
        data = f"data:image/jpeg;base64,{kept.thumbnail}" if kept else ""
        picture = f'<a href="{_link(task.picture)}"><img loading="lazy" alt="" src="{data}"></a>'
    least = least_confidence(form)
    facts = [f"{form['player']}: {form['total']}"]
    facts += [f"{100 * least:.0f} %"] if least is not None else []
    facts += [say(msg("corrected by hand"))] if form["corrected"] else []
    lines = "".join(f"<p>{escape(shown(line))}</p>" for line in (" · ".join(facts), *form["notes"]))
    if status == "doubtful":
        lines += f"<p>{escape(shown(why(form)))}</p>"
        to_correct = escape(say(msg("notation to correct")))
        lines += f'<p><a href="{_link(task.notation)}">{to_correct}</a></p>'
    return f'<article class="{status}">{picture}{heading}{sign}{lines}</article>'


def _link(path: str) -> str:
    return quote(os.fsencode(path))
