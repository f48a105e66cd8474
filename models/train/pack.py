"""Keeps the weights of networks small: in half precision, or in eight bits with a scale for every output.

    python -m models.train.pack models/straighten.onnx...

packs networks that are there in eight bits. ONNX Runtime widens the weights when it loads them.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

LEAST = 256
"""Weights of fewer numbers stay as they are."""
HALF, EIGHTH, SCALE = "_half", "_eighth", "_scale"


def unpack(model: Any) -> None:
    """Writes all weights of an ONNX model in full and drops the nodes that widened them."""
    from onnx import numpy_helper

    kept = {part.name: numpy_helper.to_array(part) for part in model.graph.initializer}
    for name in list(kept):
        if name.endswith(HALF):
            kept[name.removesuffix(HALF)] = kept.pop(name).astype(np.float32)
        elif name.endswith(EIGHTH):
            plain = name.removesuffix(EIGHTH)
            kept[plain] = kept.pop(name).astype(np.float32) * kept.pop(plain + SCALE)
    widening = ("Cast", "Mul")
    nodes = [n for n in model.graph.node if not (n.op_type in widening and _plain(n.output[0]) in kept)]
    _write(model, kept, nodes)


def _plain(name: str) -> str:
    return name.removesuffix(EIGHTH).removesuffix(EIGHTH)


def pack(model: Any, bits: int) -> None:
    """Keeps the weights of an ONNX model that are written in full in eight or sixteen bits."""
    from onnx import TensorProto, helper, numpy_helper

    kept: dict[str, np.ndarray] = {}
    widened = []
    for part in model.graph.initializer:
        name, array = part.name, numpy_helper.to_array(part)
        if array.dtype != np.float32 or array.size < LEAST:
            kept[name] = array
        elif bits == 16 or array.ndim < 2:
            kept[name + HALF] = array.astype(np.float16)
            widened.append(helper.make_node("Cast", [name + HALF], [name], to=TensorProto.FLOAT))
        else:
            most = np.abs(array).max(tuple(range(1, array.ndim)), keepdims=True)
            kept[name + SCALE] = np.maximum(most / 127, 1e-12).astype(np.float32)
            kept[name + EIGHTH] = np.rint(array / kept[name + SCALE]).astype(np.int8)
            wide = name + EIGHTH + EIGHTH
            widened.append(helper.make_node("Cast", [name + EIGHTH], [wide], to=TensorProto.FLOAT))
            widened.append(helper.make_node("Mul", [wide, name + SCALE], [name]))
    _write(model, kept, [*widened, *model.graph.node])


def _write(model: Any, weights: dict[str, np.ndarray], nodes: list[Any]) -> None:
    from onnx import numpy_helper

    nodes = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in weights.items())
    model.graph.node.extend(nodes)


def save(model: Any, path: Path) -> None:
    """Writes a network, and prints its size and checksum."""
    import onnx

    onnx.checker.check_model(model)
    onnx.save(model, path)
    print(path.stem, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())


def main() -> None:
    import onnx

    for path in map(Path, sys.argv[1:]):
        model = onnx.load(path)
        unpack(model)
        pack(model, 8)
        save(model, path)


if __name__ == "__main__":
    main()
