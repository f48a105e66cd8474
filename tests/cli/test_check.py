"""`scorer check` and `scorer --version`: whether the installation works."""

import sys

import pytest
from click.testing import CliRunner

from scorer.cli import main
from scorer.vision import models


def test_a_sound_installation_reads_its_built_in_photo() -> None:
    result = CliRunner().invoke(main, ["check"])
    assert result.exit_code == 0, result.output
    assert "ok   built-in photo: read right" in result.output


def test_a_model_with_a_flipped_bit_is_named(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in models.CHECKSUMS:
        content = bytearray((models.FOLDER / f"{name}.onnx").read_bytes())
        content[len(content) // 2] ^= name == "locate"
        (tmp_path / f"{name}.onnx").write_bytes(content)
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    result = CliRunner().invoke(main, ["check"])
    assert result.exit_code == 5
    assert "FAIL model locate" in result.output
    assert "built-in photo" not in result.output


def test_the_version_names_the_models_without_loading_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    result = CliRunner().invoke(main, ["--version"])
    assert f"locate {models.CHECKSUMS['locate'][:8]}" in result.output
    assert "onnxruntime" not in sys.modules
