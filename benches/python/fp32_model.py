"""Writes all-MiniLM-L6-v2 in fp32 as an ONNX file.

No package carries that file. What there is: PyTorch's own export of the model with its matrices
quantised (each one a Cast and a Mul in front of the graph), and the original fp32 weights. This puts
the original weights in the place of the quantised ones, so that the graph is what PyTorch exports
and the weights are what the authors published.

usage: fp32_model.py QUANTISED.onnx MODEL.safetensors OUTPUT.onnx
"""

import sys

import numpy
import onnx
from onnx import numpy_helper
from safetensors.numpy import load_file


def main(quantised: str, weights: str, output: str) -> None:
    model = onnx.load(quantised)
    graph = model.graph
    originals = load_file(weights)
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    restored = restore_matrices(graph, values, originals)
    restore_vectors(graph, values, originals)
    spent = {f"{name}{suffix}" for name in restored for suffix in ("_q", "_scale")}
    kept = [tensor for tensor in graph.initializer if tensor.name not in spent]
    made = {f"{name}{suffix}" for name in restored for suffix in ("", "_f")}
    nodes = [node for node in graph.node if node.output[0] not in made]

    del graph.initializer[:]
    del graph.node[:]
    graph.initializer.extend(kept)
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in restored.items())
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, output)


def restore_matrices(graph, values, originals):
    """The original of each quantised matrix, by the name the graph uses it under."""
    restored = {}
    for name in [node.output[0] for node in graph.node if f"{node.output[0]}_q" in values]:
        approximate = values[f"{name}_q"].astype(numpy.float32) * values[f"{name}_scale"]
        restored[name] = nearest(approximate, originals)
    if not restored:
        sys.exit("the graph has no quantised matrices: another export than expected")
    return restored


def restore_vectors(graph, values, originals):
    """Biases and norms were left as they are; check that they are the original ones."""
    for name, value in values.items():
        original = originals.get(name.removeprefix("inner."))
        if original is not None and original.dtype == value.dtype and not numpy.array_equal(original, value):
            sys.exit(f"{name} differs from the original weights: another model than expected")


def nearest(approximate, originals):
    """The original matrix, transposed where needed, that the approximation stands for."""
    best, distance = None, numpy.inf
    for original in originals.values():
        for candidate in (original, original.T):
            if candidate.ndim == 2 and candidate.shape == approximate.shape:
                found = numpy.linalg.norm(candidate - approximate) / numpy.linalg.norm(candidate)
                if found < distance:
                    best, distance = candidate, found
    if distance > 0.05:
        sys.exit(f"no original weights within 5% of a quantised matrix (nearest {distance:.3f})")
    return numpy.ascontiguousarray(best)


if __name__ == "__main__":
    main(*sys.argv[1:])
