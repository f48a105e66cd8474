"""What student projects do, on the same split: colour histograms with a forest or an SVM, crown templates, neighbours.

    pip install scikit-learn
    python -m benchmarks.read_students --data FOLDER

They are given what our reader finds by itself: boards cut out and straightened, split into five by five. Trained on the
training part; the crown threshold is chosen on the validation sittings; figures are of the test part. What a standing
castle hides is not counted against them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.figures import Figure, Form
from benchmarks.measure import arguments, parse_with_data, wilson
from benchmarks.read import shown_squares
from benchmarks.read_cases import boards
from models.train.classify_crops import MARGIN, Crops, real, target
from scorer.vision.classify import WIDE_MARGIN

SIDE = 60
"""Pixels of a square as the methods see it; a crown is then sixteen wide."""
CROWNED = ("19.jpg", "24.jpg", "30.jpg", "40.jpg")
CROWN = (0.09, 0.07, 0.36, 0.28)
"""Left, top, right and bottom of the crown on the left squares of these dominoes, in squares."""
THRESHOLDS = np.arange(0.4, 0.9, 0.05)
NEIGHBOURS = 1
THUMBNAIL = 12
SEED = 0

Images = np.ndarray
Method = Callable[[Images], tuple[np.ndarray, np.ndarray]]


def inner(crops: Images, margin: float) -> Images:
    """The squares without what lies around them, (N, SIDE, SIDE, 3) RGB."""
    size = crops.shape[1]
    cut = round(size * margin / (1 + 2 * margin))
    return np.stack([cv2.resize(crop[cut : size - cut, cut : size - cut], (SIDE, SIDE)) for crop in crops])


def histograms(squares: Images) -> np.ndarray:
    """Hue, saturation and value histograms side by side."""
    rows = []
    for square in squares:
        hsv = cv2.cvtColor(square, cv2.COLOR_RGB2HSV)
        parts = [np.histogram(hsv[..., 0], 32, (0, 180)), np.histogram(hsv[..., 1], 16, (0, 256))]
        parts.append(np.histogram(hsv[..., 2], 16, (0, 256)))
        rows.append(np.concatenate([counts for counts, _ in parts]) / SIDE**2)
    return np.array(rows, np.float32)


def thumbnails(squares: Images) -> np.ndarray:
    small = [
        cv2.cvtColor(cv2.resize(s, (THUMBNAIL, THUMBNAIL), interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2LAB)
        for s in squares
    ]
    flat = np.array(small, np.float32).reshape(len(small), -1)
    return flat - flat.mean(axis=1, keepdims=True)


def crown_templates(data: Path) -> list[np.ndarray]:
    """Crowns cut from whole dominoes, in four directions, grey."""
    templates = []
    for name in CROWNED:
        domino = cv2.imread(str(data / "dominoes" / name), cv2.IMREAD_GRAYSCALE)
        square = cv2.resize(domino[:, : domino.shape[1] // 2], (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        left, top, right, bottom = (round(part * SIDE) for part in CROWN)
        templates += [np.ascontiguousarray(np.rot90(square[top:bottom, left:right], turn)) for turn in range(4)]
    return templates


def count_crowns(square: np.ndarray, templates: list[np.ndarray], threshold: float) -> int:
    """Peaks of the normalised correlation above a threshold, at least a crown's height apart."""
    grey = cv2.cvtColor(square, cv2.COLOR_RGB2GRAY)
    peaks = []
    for template in templates:
        answer = cv2.matchTemplate(grey, template, cv2.TM_CCOEFF_NORMED)
        middle = np.array(template.shape) / 2
        peaks += [(answer[y, x], y + middle[0], x + middle[1]) for y, x in np.argwhere(answer > threshold)]
    kept: list[tuple[float, float]] = []
    for _, y, x in sorted(peaks, reverse=True):
        if all((y - b) ** 2 + (x - a) ** 2 > (0.2 * SIDE) ** 2 for b, a in kept):
            kept.append((y, x))
    return min(3, len(kept))


def methods(train: Crops, data: Path) -> dict[str, Method]:
    squares = inner(train.images, MARGIN)
    terrain, crowns = train.targets[:, :2].T.astype(int)
    templates = crown_templates(data)
    known, true = validation(data)
    shares = [
        np.mean([count_crowns(s, templates, t) == n for s, n in zip(known, true, strict=True)]) for t in THRESHOLDS
    ]
    threshold = float(THRESHOLDS[int(np.argmax(shares))])

    def by_histogram(classifier: object) -> Method:
        classifier.fit(histograms(squares), terrain)
        return lambda shown: (
            classifier.predict(histograms(shown)),
            np.array([count_crowns(square, templates, threshold) for square in shown]),
        )

    turned = np.concatenate([np.rot90(squares, turn, axes=(1, 2)) for turn in range(4)])
    neighbour = KNeighborsClassifier(NEIGHBOURS)
    neighbour.fit(thumbnails(turned), np.tile(terrain * 8 + np.maximum(crowns, 0), 4))

    def by_neighbour(shown: Images) -> tuple[np.ndarray, np.ndarray]:
        kinds = neighbour.predict(thumbnails(shown))
        return kinds // 8, kinds % 8

    return {
        "HSV and forest": by_histogram(RandomForestClassifier(200, random_state=SEED)),
        "HSV and SVM": by_histogram(make_pipeline(StandardScaler(), SVC(C=10.0))),
        "nearest neighbour": by_neighbour,
    }


def validation(data: Path) -> tuple[Images, list[int]]:
    images, crowns = [], []
    for shown, cells in shown_squares(data, "validation"):
        images.append(inner(shown, WIDE_MARGIN))
        crowns += [max(0, target(cell)[1]) for cell in cells]
    return np.concatenate(images), crowns


def right(method: Method, squares: Images, cells: list[str]) -> np.ndarray:
    """Which squares have both terrain and crowns right."""
    terrain, crowns = method(squares)
    true = np.array([target(cell)[:2] for cell in cells])
    return (terrain == true[:, 0]) & ((crowns == true[:, 1]) | (true[:, 1] < 0))


def on_boards(method: Method, data: Path, folder: str) -> tuple[int, int, int, int]:
    """Squares right, squares shown, boards exactly right, boards."""
    good = total = exact = count = 0
    for case in boards(data, folder):
        (known,) = case.kingdoms
        picture = cv2.imread(str(case.photo))[..., ::-1]
        side = picture.shape[0] // len(known.grid)
        places = [(r, c) for r, row in enumerate(known.grid) for c in range(len(row))]
        cut = [picture[r * side : (r + 1) * side, c * side : (c + 1) * side] for r, c in places]
        squares = np.stack([cv2.resize(np.ascontiguousarray(part), (SIDE, SIDE)) for part in cut])
        seen = right(method, squares, [known.grid[r][c] for r, c in places])
        shown = np.array([place not in known.hidden for place in places])
        good, total = good + int(seen[shown].sum()), total + int(shown.sum())
        exact, count = exact + bool(seen[shown].all()), count + 1
    return good, total, exact, count


def figures(form: Form) -> Iterator[Figure]:
    """Under the names that `benchmarks.read` gives its figures, all methods together."""
    data = form.photographs
    cv2.setNumThreads(1)
    found: dict[str, list[str]] = {}

    def add(what: str, name: str, count: int, total: int) -> None:
        found.setdefault(what, []).append(f"{name} {wilson(count, total)}")

    for name, method in methods(real(data, "train"), data).items():
        singles = np.concatenate(
            [right(method, inner(s, WIDE_MARGIN), cells) for s, cells in shown_squares(data, "test")]
        )
        add("single squares of held-out sittings, network alone: right", name, int(singles.sum()), len(singles))
        for folder in ("boards", "boards_loose"):
            good, total, exact, count = on_boards(method, data, folder)
            add(f"held-out {folder}: squares right", name, good, total)
            add(f"held-out {folder}: kingdoms exactly right", name, exact, count)
    for what, told in found.items():
        yield Figure(what, "; ".join(told))


def main() -> None:
    for figure in figures(Form(parse_with_data(arguments(__doc__, data=True)).data)):
        print(figure)


if __name__ == "__main__":
    main()
