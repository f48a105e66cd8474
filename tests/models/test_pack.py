"""Weights are kept in few bits, and a network answers as before."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from models.train.pack import pack, unpack

RNG = np.random.default_rng(0)
SPREAD = np.geomspace(0.01, 10, 8, dtype=np.float32)[:, None, None, None]
WEIGHT = RNG.normal(size=(8, 4, 3, 3)).astype(np.float32) * SPREAD
BIAS = RNG.normal(size=8).astype(np.float32)


def network() -> onnx.ModelProto:
    """One convolution, then a multiplication of its own that must survive."""
    nodes = [
        helper.make_node("Conv", ["image", "weight", "bias"], ["seen"], pads=[1, 1, 1, 1]),
        helper.make_node("Mul", ["seen", "half"], ["answer"]),
    ]
    kept = {"weight": WEIGHT, "bias": BIAS, "half": np.array(0.5, np.float32)}
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 4, 6, 6])],
        [helper.make_tensor_value_info("answer", TensorProto.FLOAT, [1, 8, 6, 6])],
        [numpy_helper.from_array(array, name) for name, array in kept.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def answer(model: onnx.ModelProto) -> np.ndarray:
    onnx.checker.check_model(model)
    image = np.random.default_rng(1).normal(size=(1, 4, 6, 6)).astype(np.float32)
    return np.asarray(onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"image": image})[0])


@pytest.mark.parametrize(("bits", "off"), [(16, 1e-3), (8, 1e-2)])
def test_a_packed_network_is_smaller_and_answers_alike(bits: int, off: float) -> None:
    model = network()
    before, size = answer(model), model.ByteSize()
    pack(model, bits)
    spread = before.std(axis=(0, 2, 3), keepdims=True)
    assert model.ByteSize() < size
    assert np.abs((answer(model) - before) / spread).max() < 4 * off


@pytest.mark.parametrize("bits", [16, 8])
def test_unpacked_weights_stand_in_full_and_nothing_else_changed(bits: int) -> None:
    model = network()
    pack(model, bits)
    unpack(model)
    kept = {part.name: numpy_helper.to_array(part) for part in model.graph.initializer}
    assert set(kept) == {"weight", "bias", "half"}
    assert [node.op_type for node in model.graph.node] == ["Conv", "Mul"]
    most = np.abs(WEIGHT).max((1, 2, 3), keepdims=True)
    assert np.abs((kept["weight"] - WEIGHT) / most).max() <= 0.5 / 127 + 1e-6
    assert (kept["bias"] == BIAS).all()


def test_packing_again_changes_nothing() -> None:
    model = network()
    pack(model, 8)
    once = answer(model)
    unpack(model)
    pack(model, 8)
    assert np.allclose(answer(model), once, atol=1e-5)
