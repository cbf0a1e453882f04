"""The usual way to embed in bulk with Python and ONNX Runtime, as the other side of a comparison.

Batches of 32 in the order given, padded to the longest of the batch, default session options, mean
pooling and normalisation in numpy.

usage: embed_baseline.py MODEL.onnx TOKENIZER.json WINDOW CHUNKS.json VECTORS.f32

Prints one JSON line when ready. Then each line read from standard input starts one run over all
chunks, which writes the vectors (little-endian f32, one row per chunk) and prints one JSON line.
"""

import json
import platform
import sys
import time

import numpy
import onnxruntime
from tokenizers import Tokenizer

BATCH = 32


def main(model: str, tokenizer_file: str, window: str, chunks_file: str, vectors_file: str) -> None:
    with open(chunks_file, encoding="utf-8") as file:
        chunks = json.load(file)
    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.enable_truncation(int(window))
    tokenizer.enable_padding()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    say(onnxruntime=onnxruntime.__version__, python=platform.python_version(), numpy=numpy.__version__)
    for _ in sys.stdin:
        start = time.perf_counter()
        vectors = embed(session, tokenizer, chunks)
        seconds = time.perf_counter() - start
        vectors.astype("<f4").tofile(vectors_file)
        say(seconds=seconds)


def embed(session, tokenizer, chunks):
    rows = [embed_batch(session, tokenizer, chunks[at : at + BATCH]) for at in range(0, len(chunks), BATCH)]
    return numpy.concatenate(rows)


def embed_batch(session, tokenizer, texts):
    encoded = tokenizer.encode_batch(texts)
    mask = numpy.array([each.attention_mask for each in encoded], dtype=numpy.int64)
    inputs = {
        "input_ids": numpy.array([each.ids for each in encoded], dtype=numpy.int64),
        "token_type_ids": numpy.array([each.type_ids for each in encoded], dtype=numpy.int64),
        "attention_mask": mask,
    }
    states = session.run(None, inputs)[0]
    weights = mask[:, :, None].astype(states.dtype)
    mean = (states * weights).sum(axis=1) / weights.sum(axis=1)
    return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)


def say(**record):
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
