"""Where profiles live, and what happens where there is no such place."""

from pathlib import Path

import pytest

from scorer.calibration import store
from scorer.calibration.profile import Learnt, Profile
from scorer.errors import UnreadableInput, UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(store.FOLDER, str(tmp_path / "profiles"))
    return tmp_path / "profiles"


def test_profiles_are_kept_found_and_deleted(folder: Path) -> None:
    assert store.names() == ([], ["queendomino", "queendomino-19"])
    path = store.save(Profile("mine", knights=19))
    assert path == folder / "mine.json"
    assert store.names()[0] == ["mine"]
    assert store.load("mine").knights == 19
    store.delete("mine")
    assert store.names()[0] == []


def test_an_own_profile_hides_the_edition_of_its_name(folder: Path) -> None:
    store.save(Profile("queendomino", about="ours"))
    assert store.names() == (["queendomino"], ["queendomino-19"])
    assert store.load("queendomino").about == "ours"


def test_a_profile_that_is_not_there(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"no profile 'attic'; there are: queendomino, queendomino-19"):
        store.load("attic")
    with pytest.raises(UsageError, match="of your own"):
        store.delete("queendomino")
    with pytest.raises(UnreadableInput, match="no such file"):
        store.applied("attic.json")


@pytest.mark.parametrize("name", ["", "../x", "a/b", "con\0", ".hidden", "x" * 61])
def test_names_that_are_no_file_names(folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is no name for a profile"):
        store.load_or_new(name)


def test_without_a_home_editions_can_be_used_and_a_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    def homeless(*_: object, **__: object) -> str:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(store.FOLDER, raising=False)
    monkeypatch.setattr(platformdirs, "user_data_dir", homeless)
    assert store.load("queendomino-19").knights == 19
    with pytest.raises(UsageError, match=f"no home folder.*{store.FOLDER}"):
        store.save(Profile("mine"))


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(store.FOLDER, str(tmp_path / "file" / "profiles"))
    with pytest.raises(UsageError, match="cannot be made"):
        store.save(Profile("mine"))


def test_another_model_is_told_and_the_squares_looked_at_again(folder: Path) -> None:
    old = Profile("mine", learnt=Learnt({"classify": "0" * 64}, {}, ()))
    store.save(old)
    ready = store.applied("mine")
    assert list(map(str, ready.notes)) == [
        "profile mine was taught to another model: its 0 squares were looked at again"
    ]
    assert store.applied("mine").notes == ()
