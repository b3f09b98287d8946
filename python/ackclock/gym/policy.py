"""A trained policy: its weights, the files that hold them, and the congestion controller made of them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.arguments import checked
from ackclock.atomic import write_file
from ackclock.errors import InputError, unknown
from ackclock.gym import learnt, observations
from ackclock.gym.learnt import Learnt

__all__ = ["Layer", "Policy", "controller"]

Array = NDArray[np.float64]

ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "identity": np.asarray,
    "relu": lambda values: np.maximum(values, 0.0),
    "tanh": np.tanh,
}


@dataclass(frozen=True)
class Layer:
    """Weighted sums of the inputs: weights and a bias for each sum, and the function applied to each."""

    weights: Sequence[Sequence[float]]
    bias: Sequence[float]
    activation: str = "tanh"


@dataclass(frozen=True)
class Policy:
    """Layers of weights from observations to an action; a call takes a row of observations for each agent."""

    layers: Sequence[Layer]
    observe: tuple[str, ...] = observations.DEFAULT

    def __post_init__(self) -> None:
        observations.checked(self.observe)
        inputs = len(self.observe)
        for place, layer in enumerate(self.layers, 1):
            if str(layer.activation) not in ACTIVATIONS:
                raise unknown("activation", str(layer.activation), ACTIVATIONS)
            weights, bias = np.asarray(layer.weights), np.asarray(layer.bias)
            for numbers in (weights, bias):
                if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
                    raise InputError(f"layer {place}: weights and biases are finite numbers")
            if bias.ndim != 1 or weights.shape != (bias.size, inputs):
                raise InputError(
                    f"layer {place}: weights of shape {weights.shape} and biases of shape {bias.shape}; "
                    f"{inputs} inputs need weights of shape (n, {inputs}) and n biases"
                )
            inputs = len(layer.bias)
        if not self.layers or inputs != 1:
            raise InputError(
                f"the last layer has {inputs if self.layers else 0} outputs; a policy has one action"
            )

    @classmethod
    def linear(cls, weights: ArrayLike, observe: Sequence[str] = observations.DEFAULT) -> Policy:
        """The hyperbolic tangent of a weighted sum of observations; the last weight is the constant."""
        *factors, constant = np.asarray(weights, dtype=float).tolist()
        return cls((Layer([factors], [constant]),), tuple(observe))

    def __call__(self, observed: Array) -> Array:
        """The action of each row of observations."""
        values = observed
        for layer in self.layers:
            sums = values @ np.asarray(layer.weights, dtype=float).T + np.asarray(layer.bias, dtype=float)
            values = ACTIVATIONS[layer.activation](sums)
        return values[..., 0]

    def as_dict(self) -> dict[str, Any]:
        """The observations and weights as values of JSON."""
        return {
            "observe": list(self.observe),
            "layers": [
                {
                    "weights": np.asarray(layer.weights, dtype=float).tolist(),
                    "bias": np.asarray(layer.bias, dtype=float).tolist(),
                    "activation": layer.activation,
                }
                for layer in self.layers
            ],
        }

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """The policy of a JSON file. Raises InputError."""
        try:
            read = json.loads(Path(path).read_text(encoding="utf-8-sig"))
            return cls(tuple(Layer(**layer) for layer in read["layers"]), tuple(read["observe"]))
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from error
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{path}: not a policy as Policy.export writes it: {error}") from error

    def export(self, path: str | Path, *, largest_window_packets: float = 10_000.0) -> Path:
        """Writes the policy, by the ending of the path: weights as `.json`, or a controller as code.

        `.json` is what `load` reads, and what `ackclock-quic` and `ackclock-kernel` take as an algorithm.
        `.py` is a file with the class `Policy` for `compare`, `sweep`, `evaluate` and the command line, `.js`
        one for the playground; both need no other file. Raises InputError.
        """
        path = Path(path)
        writers = {".json": self._json, ".py": self._python, ".js": self._javascript}
        if path.suffix not in writers:
            raise unknown("ending of a policy's file", path.suffix, writers)
        write_file(path, writers[path.suffix](largest_window_packets).encode())
        return path

    def _json(self, largest_window_packets: float) -> str:
        return (
            json.dumps({**self.as_dict(), "largest_window_packets": largest_window_packets}, indent=1) + "\n"
        )

    def _python(self, largest_window_packets: float) -> str:
        policy = self.as_dict()
        layers = "".join(f"        {layer!r},\n" for layer in policy["layers"])
        return (
            f"{inspect.getsource(learnt)}\n\n"
            "class Policy(Learnt):\n"
            '    """The policy of these weights."""\n\n'
            f"    inputs = {tuple(self.observe)!r}\n"
            f"    layers = (\n{layers}    )\n"
            f"    largest_window_packets = {largest_window_packets!r}\n"
        )

    def _javascript(self, largest_window_packets: float) -> str:
        source = Path(learnt.__file__).with_suffix(".js").read_text(encoding="utf-8")
        policy = f"const POLICY = {json.dumps(self.as_dict())};"
        largest = f"const LARGEST_WINDOW_PACKETS = {largest_window_packets!r};"
        source = source.replace("const POLICY = {};", policy)
        return source.replace("const LARGEST_WINDOW_PACKETS = 10_000;", largest)


@checked
def controller(
    policy: Callable[[Array], Any],
    observe: Sequence[str] | None = None,
    *,
    name: str = "policy",
    largest_window_packets: float = 10_000.0,
    segment_bytes: int = 1460,
) -> type[Learnt]:
    """A class whose window a policy sets once a smoothed round-trip time, by the action `factor`.

    `policy` gives an action for each row of observations. They are those of `observe`, those that the policy
    names, or the default ones. `segment_bytes` matters to observations in bits.
    """
    own: Sequence[str] = getattr(policy, "observe", observations.DEFAULT)
    chosen = observations.checked(own if observe is None else observe)

    def act(_self: Learnt, observed: list[float]) -> float:
        return float(np.asarray(policy(np.array([observed])), dtype=float).reshape(-1)[0])

    attributes = {
        "inputs": chosen,
        "largest_window_packets": largest_window_packets,
        "segment_bytes": segment_bytes,
    }
    # Weights run compiled; another function is called for each action.
    rule = {"layers": policy.as_dict()["layers"]} if isinstance(policy, Policy) else {"act": act}
    return type(name, (Learnt,), {**attributes, **rule})
