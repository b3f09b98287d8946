"""Policies in the format ONNX: reads those of other programs, and writes ours for other programs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock.errors import InputError
from ackclock.gym.policy import Policy

__all__ = ["load_onnx", "save_onnx"]

Array = NDArray[np.float64]

OPSET = 17


def load_onnx(path: str | Path) -> Callable[[Array], Array]:
    """The policy of an ONNX file: one input with a row of observations, the action in the first column.

    PyTorch writes such files (`torch.onnx.export`), also for policies of Stable-Baselines3. The policy runs
    on one thread. Needs onnxruntime: `pip install ackclock[onnx]`. Raises InputError.
    """
    runtime = _module("onnxruntime")
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise InputError(f"{path}: not a policy in the format ONNX: {error}") from error
    entry = session.get_inputs()[0]
    kind = np.float64 if entry.type == "tensor(double)" else np.float32

    def policy(observed: Array) -> Array:
        action = session.run(None, {entry.name: np.atleast_2d(observed).astype(kind)})[0]
        return np.asarray(action, dtype=float).reshape(len(np.atleast_2d(observed)), -1)[:, 0]

    return policy


def save_onnx(policy: Policy, path: str | Path) -> Path:
    """Writes a policy as an ONNX file in double precision; observations have the order of `policy.observe`.

    Needs onnx: `pip install ackclock[onnx]`. Raises InputError.
    """
    onnx = _module("onnx")
    helper, double = onnx.helper, onnx.TensorProto.DOUBLE
    nodes, constants, value = [], [], "observed"
    for place, layer in enumerate(policy.layers):
        for name, array in (
            ("weights", np.array(layer.weights, dtype=float).T),
            ("bias", np.array(layer.bias)),
        ):
            constants.append(
                helper.make_tensor(
                    f"{name}_{place}", double, array.shape, array.astype(float).ravel().tolist()
                )
            )
        nodes.append(helper.make_node("MatMul", [value, f"weights_{place}"], [f"product_{place}"]))
        nodes.append(helper.make_node("Add", [f"product_{place}", f"bias_{place}"], [f"sum_{place}"]))
        value = "action" if place == len(policy.layers) - 1 else f"values_{place}"
        kind = {"identity": "Identity", "relu": "Relu", "tanh": "Tanh"}[layer.activation]
        nodes.append(helper.make_node(kind, [f"sum_{place}"], [value]))
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info("observed", double, ["agents", len(policy.observe)])],
        [helper.make_tensor_value_info("action", double, ["agents", 1])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8
    helper.set_model_props(model, {"observe": " ".join(policy.observe)})
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return Path(path)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise InputError(f"policies in the format ONNX need {name}: pip install ackclock[onnx]") from None
