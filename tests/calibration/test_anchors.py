"""What ships with the networks belongs to them."""

import numpy as np
import pytest

from scorer.calibration.anchors import SENSES, anchors, stored, usual_colours
from scorer.calibration.profile import NETWORKS
from scorer.errors import ModelError
from scorer.vision import models
from scorer.vision.classify import LABELS

SHIPPED = [network for network in NETWORKS if network in models.CHECKSUMS]


@pytest.mark.parametrize("network", SHIPPED)
def test_anchors_belong_to_the_networks_that_ship(network: str) -> None:
    held = anchors(network)
    assert len(held.views) > 100
    assert all(len(logits) == len(held.views) for logits in held.said.values())
    np.testing.assert_allclose(np.square(held.views).sum(1), len(held.senses), atol=0.05)
    assert all(np.isfinite(sense.whiten).all() for sense in held.senses)
    assert held.views.shape[1] == held.size


@pytest.mark.parametrize("network", SHIPPED)
def test_what_is_stored_comes_back(network: str) -> None:
    held = anchors(network)
    kept = stored(network, held)
    assert str(kept[f"{network}/model"]) == models.CHECKSUMS[network]
    again = kept[f"{network}/views"] * kept[f"{network}/scale"]
    np.testing.assert_allclose(again, held.views, atol=0.01)
    assert {name.partition(":")[2] for name in kept if ":" in name} == {*SENSES[network], *held.said}


def test_anchors_of_another_network_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(models.CHECKSUMS, "classify", "0" * 64)
    anchors.cache_clear()
    with pytest.raises(ModelError, match="belongs to another classify model"):
        anchors("classify")
    anchors.cache_clear()


def test_the_usual_colours_are_those_of_the_game() -> None:
    colours = dict(zip(LABELS, usual_colours(), strict=True))
    assert colours["l0"].argmax() == 2
    assert colours["g0"].argmax() == 1
    assert colours["w0"].argmax() == 0
