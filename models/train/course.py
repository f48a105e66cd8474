"""A course of training, the same for all networks: learning rate, averaged weights, checkpoints, log, ONNX file.

The learning rate rises over the first steps and falls to zero over those asked for. A checkpoint is written every two
minutes; an interrupted training goes on from it. The log is a line of JSON for each checkpoint.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from models.train.pack import pack, save, unpack

MODELS = Path(__file__).resolve().parent.parent
SAVE_SECONDS = 120.0


class Course:
    """One network in training. `newest` is the least part that the newest weights have in the average."""

    def __init__(self, net: nn.Module, file: Path, steps: int, peak: float, warm: int, newest: float) -> None:
        self.net = net.to(memory_format=torch.channels_last)
        self.average = torch.optim.swa_utils.AveragedModel(
            net,
            avg_fn=lambda old, new, count: old + (new - old) * max(newest, 1 / (1 + int(count) / 8)),
            use_buffers=True,
        )
        self.optimiser = torch.optim.AdamW(net.parameters(), lr=peak, weight_decay=0.02)
        self.file, self.steps, self.peak, self.warm = file, steps, peak, warm
        self.step, spent = 0, 0.0
        if file.exists():
            state = torch.load(file)
            self.net.load_state_dict(state["net"])
            self.average.load_state_dict(state["average"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.step, spent = state["step"], state["spent"]
        file.parent.mkdir(parents=True, exist_ok=True)
        self.saved = time.monotonic()
        self.begin = self.saved - spent
        self.net.train()

    def learn(self, loss: Tensor) -> None:
        """One step."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate(self.peak, self.step, self.steps, self.warm)
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        self.average.update_parameters(self.net)
        self.step += 1

    def due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return self.step == self.steps or time.monotonic() - self.saved > SAVE_SECONDS

    def save(self, **figures: Any) -> None:
        """Writes the checkpoint, and the figures into the log."""
        self.saved = time.monotonic()
        spent = self.saved - self.begin
        state = {
            "net": self.net.state_dict(),
            "average": self.average.state_dict(),
            "best": self.average.module.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "spent": spent,
        }
        torch.save(state, self.file.with_suffix(".new"))
        self.file.with_suffix(".new").replace(self.file)
        with self.file.with_suffix(".log").open("a") as log:
            log.write(json.dumps({"step": self.step, "minutes": round(spent / 60, 1), **figures}) + "\n")


def rate(peak: float, step: int, steps: int, warm: int) -> float:
    return peak * min(1.0, (step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * step / steps))


def take_over(net: nn.Module, checkpoint: Path, shown: Tensor) -> None:
    """The weights of an earlier network, from its checkpoint or its ONNX file; a head that now reads more starts by
    reading what it read before. `shown`: a batch as in training, which only an ONNX file needs."""
    if checkpoint.suffix == ".onnx":
        _unfold(net, checkpoint, shown)
        return
    own = net.state_dict()
    for name, weight in torch.load(checkpoint)["best"].items():
        if name in own and own[name].shape == weight.shape:
            own[name] = weight
        elif name in own and weight.dim() == 2 and own[name].shape[0] == weight.shape[0]:
            own[name] = torch.zeros_like(own[name])
            own[name][:, : weight.shape[1]] = weight
    net.load_state_dict(own)


def _exported(path: Path) -> tuple[Any, dict[str, Tensor]]:
    """The nodes of an ONNX file in order, and its weights by name."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    unpack(model)
    kept = {part.name: numpy_helper.to_array(part) for part in model.graph.initializer}
    return model.graph.node, {name: torch.from_numpy(np.array(weight, np.float32)) for name, weight in kept.items()}


def take_over_linear(net: nn.Module, path: Path) -> None:
    """The weights of an ONNX file whose network has no convolutions: only matrices have lost their names."""
    nodes, kept = _exported(path)
    matrices = iter([kept[node.input[1]].T for node in nodes if node.op_type == "MatMul" and node.input[1] in kept])
    net.load_state_dict({name: kept[name] if name in kept else next(matrices) for name in net.state_dict()})


def _unfold(net: nn.Module, path: Path, shown: Tensor) -> None:
    """Weights out of an ONNX file. Its convolutions hold the normalisations behind them: those become what normalises
    `shown` and gives it back, so that the network says the same and can be trained on."""
    nodes, kept = _exported(path)
    weights = iter([kept[name] for name in node.input[1:3]] for node in nodes if node.op_type in ("Conv", "Gemm"))
    folded: list[Tensor] = []

    def fill(layer: nn.Module, seen: tuple[Tensor]) -> None:
        if isinstance(layer, nn.BatchNorm2d):
            mean, variance = seen[0].mean((0, 2, 3)), seen[0].var((0, 2, 3), correction=0)
            layer.running_mean.copy_(mean)
            layer.running_var.copy_(variance)
            layer.weight.copy_((variance + layer.eps).sqrt())
            layer.bias.copy_(folded.pop() + mean)
        else:
            weight, bias = next(weights)
            layer.weight.copy_(weight)
            folded.append(bias) if layer.bias is None else layer.bias.copy_(bias)

    layers = [layer for layer in net.modules() if isinstance(layer, (nn.BatchNorm2d, nn.Conv2d, nn.Linear))]
    hooks = [layer.register_forward_pre_hook(fill) for layer in layers]
    net.eval()
    with torch.no_grad():
        net(shown)
    for hook in hooks:
        hook.remove()


def write_onnx(
    net: nn.Module,
    example: Tensor,
    path: Path,
    shown: str,
    answers: Sequence[str],
    free: dict[int, str],
    bits: int,
    sides: dict[int, str] | None = None,
) -> None:
    """A network as a file, its size and checksum printed. `free` names axes whose length may differ, `sides` those of
    what is shown alone; `bits` how precisely weights are kept."""
    import onnx

    net.eval()
    torch.onnx.export(
        net,
        (example,),
        str(path),
        dynamo=False,
        input_names=[shown],
        output_names=list(answers),
        dynamic_axes=dict.fromkeys(answers, free) | {shown: free | (sides or {})},
        opset_version=17,
    )
    model = onnx.load(path)
    pack(model, bits)
    save(model, path)


def arguments(
    documentation: str | None, tasks: Sequence[str], work: str, steps: int, peak: float
) -> argparse.ArgumentParser:
    """A parser of what can be told to every training."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=tasks)
    parser.add_argument("--work", type=Path, default=Path(work), help="checkpoints and logs")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--peak", type=float, default=peak, help="highest learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--start", type=Path, help="checkpoint or ONNX file of an earlier run to start from")
    return parser


def schedule(options: argparse.Namespace) -> dict[str, Any]:
    """What `arguments` asked for and every training takes."""
    return {name: getattr(options, name) for name in ("work", "steps", "seed", "threads", "start", "peak")}
