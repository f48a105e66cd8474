"""Photos for the tests of folders: rendered once, small enough to be read in a moment."""

from pathlib import Path

import cv2
import pytest

from scorer.render import Recipe, render, sample_photos

SAMPLE = Path(__file__).parents[2] / "samples" / "photos" / "kingdomino.jpg"
RECIPE = sample_photos(
    Recipe(
        photo_sizes=((1000, 750),), kingdoms=(1, 1), rules=("kingdomino",), sizes=(5,), filled=(0.6, 1.0), pieces=0.0
    )
)


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Six different photos as JPEG files."""
    photos = [SAMPLE.read_bytes()]
    for seed in range(5):
        _, data = cv2.imencode(".jpg", render(seed, recipe=RECIPE).image[..., ::-1])
        photos.append(data.tobytes())
    return photos


@pytest.fixture
def folder(tmp_path: Path, rendered: list[bytes]) -> Path:
    """A folder with photos on two levels."""
    folder = tmp_path / "photos"
    (folder / "evening").mkdir(parents=True)
    for number, data in enumerate(rendered):
        (folder / ("evening" if number % 2 else "") / f"{number}.jpg").write_bytes(data)
    return folder
