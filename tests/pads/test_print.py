"""Pads on paper: every rule set and language, everything inside the page, marks where the plan says."""

import cv2
import numpy as np
import pypdfium2
import pytest

from scorer.pads.print import PAPERS, arrange, pad_pdf
from scorer.pads.sheet import Sheet, unnamed
from scorer.rules import parse, score
from scorer.rules.catalogue import RULE_SETS
from scorer.texts import LANGUAGES, translator

PIXELS_PER_MM = 8.0
TABLE = "player: White\nqueen: no\n\nC w1 w0\n---\nplayer: Red\nqueen: no\n\nC f1\n"


def page(pdf: bytes) -> tuple[np.ndarray, str]:  # type: ignore[type-arg]
    document = pypdfium2.PdfDocument(pdf)
    assert len(document) == 1
    text = document[0].get_textpage().get_text_range()
    return document[0].render(scale=PIXELS_PER_MM * 25.4 / 72).to_numpy()[..., :3], text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_printed(language: str) -> None:
    say = translator(language)
    _, text = page(pad_pdf(Sheet(mirrored=language == "he"), say))
    total = say("Total") if language != "he" else say("Total")[::-1]
    assert total.split()[0] in text or total.split()[0][::-1] in text


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("per_sheet", [1, 2, 4])
@pytest.mark.parametrize("paper", PAPERS)
def test_the_marks_are_found_where_the_plan_says(rules: str, per_sheet: int, paper: str) -> None:
    sheet = Sheet(rules, 4, quests=unnamed(4) if rules == "xxxl" else ())
    image, _ = page(pad_pdf(sheet, translator("en"), paper=paper, per_sheet=per_sheet))
    size, places = arrange(sheet, paper, per_sheet)
    assert image.shape[:2] == (
        pytest.approx(size[1] * PIXELS_PER_MM, abs=2),
        pytest.approx(size[0] * PIXELS_PER_MM, abs=2),
    )
    assert sorted(size) == sorted(PAPERS[paper])
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_1000))
    corners, ids, _ = detector.detectMarkers(image)
    found = sorted((int(i), tuple(c.reshape(4, 2).mean(axis=0))) for i, c in zip(ids.ravel(), corners, strict=True))
    wanted = sorted(
        (mark, ((x + row * (left + right) / 2) * PIXELS_PER_MM, (y + row * (top + bottom) / 2) * PIXELS_PER_MM))
        for x, y, row in places
        for mark, (left, top, right, bottom) in zip(sheet.mark_ids(), sheet.mark_boxes(), strict=True)
    )
    assert [mark for mark, _ in found] == [mark for mark, _ in wanted]
    assert np.allclose([at for _, at in found], [at for _, at in wanted], atol=3)


def test_a_pad_filled_from_a_score() -> None:
    result = score(parse(TABLE))
    _, text = page(pad_pdf(Sheet(columns=2), translator("en"), filled=result))
    assert "White" in text
    assert "★ White" in text
    assert text.split().count("2") == 2
    assert text.split().count("1") == 2


def test_equal_pads_are_equal_files() -> None:
    assert pad_pdf(Sheet(), translator("de")) == pad_pdf(Sheet(), translator("de"))
