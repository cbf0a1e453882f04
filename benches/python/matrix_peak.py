"""How many multiplications and additions of fp32 the machine does in a second, in matrix products.

Two ways, on all cores: numpy with its own BLAS, and ONNX Runtime with one single-threaded session
per core over a graph of one product. Each takes the shape that was fastest in a first trial.

usage: matrix_peak.py CORES

Prints one JSON line when ready. Then each line read from standard input starts one measurement of
both and prints one JSON line with 10^9 operations a second each.
"""

import json
import sys
import threading
import time

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

NUMPY_SHAPES = ((512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048))
RUNTIME_SHAPES = ((576, 384, 384), (576, 384, 1536), (768, 256, 3072), (768, 768, 768), (2048, 512, 2048))
TRIAL_SECONDS = 0.5
SECONDS = 2.0


def main(cores: str) -> None:
    ways = {
        "numpy": fastest([with_numpy(shape) for shape in NUMPY_SHAPES]),
        "onnxruntime": fastest([with_runtime(shape, int(cores)) for shape in RUNTIME_SHAPES]),
    }
    say(**{name: shape for name, (shape, _) in ways.items()})
    for _ in sys.stdin:
        say(**{name: measure(SECONDS) for name, (_, measure) in ways.items()})


def fastest(ways):
    return max(ways, key=lambda way: way[1](TRIAL_SECONDS))


def with_numpy(shape):
    rows, inner, columns = shape
    left, right = random(rows, inner), random(inner, columns)
    product = numpy.empty((rows, columns), dtype=numpy.float32)

    def measure(seconds):
        return repeated(lambda: numpy.matmul(left, right, out=product), shape, seconds)

    return shape, measure


def with_runtime(shape, cores):
    rows, inner, columns = shape
    model, left = one_product(shape), random(rows, inner)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    sessions = [
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]) for _ in range(cores)
    ]

    def measure(seconds):
        rates = [0.0] * cores

        def work(core):
            rates[core] = repeated(lambda: sessions[core].run(None, {"left": left}), shape, seconds)

        threads = [threading.Thread(target=work, args=(core,)) for core in range(cores)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(rates)

    return shape, measure


def one_product(shape):
    rows, inner, columns = shape
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["left", "right"], ["product"])],
        "product",
        [helper.make_tensor_value_info("left", TensorProto.FLOAT, [rows, inner])],
        [helper.make_tensor_value_info("product", TensorProto.FLOAT, [rows, columns])],
        [numpy_helper.from_array(random(inner, columns), "right")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    return model.SerializeToString()


def repeated(product, shape, seconds):
    """10^9 operations a second over at least so many seconds."""
    rows, inner, columns = shape
    product()
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        product()
        done += 1
    return done * 2e-9 * rows * inner * columns / (time.perf_counter() - start)


def random(rows, columns):
    return numpy.random.default_rng(rows).random((rows, columns), dtype=numpy.float32)


def say(**record):
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
