"""Embedding in bulk with Python and ONNX Runtime, as the other side of a comparison.

`usual` is what is usually written: batches of 32 in the order given, padded to the longest of the
batch, default session options, mean pooling and normalisation in numpy. `best` sorts by length first
and takes the batch size that was fastest on some of the chunks.

usage: embed_baseline.py MODEL.onnx TOKENIZER.json WINDOW CHUNKS.json VECTORS.f32

Prints one JSON line when ready. Then each line read from standard input, `usual` or `best`, starts
one run over all chunks, which writes the vectors (little-endian f32, one row per chunk) and prints
one JSON line.
"""

import json
import platform
import sys
import time

import numpy
import onnxruntime
from tokenizers import Tokenizer

USUAL = 32
TRIED = (1, 2, 4, 8, 16, 32)
TRIED_CHUNKS = 48


def main(model: str, tokenizer_file: str, window: str, chunks_file: str, vectors_file: str) -> None:
    with open(chunks_file, encoding="utf-8") as file:
        chunks = json.load(file)
    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.enable_truncation(int(window))
    tokenizer.enable_padding()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    best = best_batch(session, tokenizer, chunks[:TRIED_CHUNKS])
    say(
        onnxruntime=onnxruntime.__version__,
        python=platform.python_version(),
        numpy=numpy.__version__,
        best_batch=best,
    )
    for line in sys.stdin:
        start = time.perf_counter()
        if line.strip() == "best":
            vectors = embed_sorted(session, tokenizer, chunks, best)
        else:
            vectors = embed(session, tokenizer, chunks, USUAL)
        seconds = time.perf_counter() - start
        vectors.astype("<f4").tofile(vectors_file)
        say(seconds=seconds)


def best_batch(session, tokenizer, chunks):
    """The batch size with the least time in two runs each, which take turns."""
    least = {batch: float("inf") for batch in TRIED}
    for _ in range(2):
        for batch in TRIED:
            start = time.perf_counter()
            embed_sorted(session, tokenizer, chunks, batch)
            least[batch] = min(least[batch], time.perf_counter() - start)
    return min(least, key=least.get)


def embed_sorted(session, tokenizer, chunks, batch):
    order = sorted(range(len(chunks)), key=lambda place: -len(chunks[place]))
    rows = embed(session, tokenizer, [chunks[place] for place in order], batch)
    vectors = numpy.empty_like(rows)
    vectors[order] = rows
    return vectors


def embed(session, tokenizer, chunks, batch):
    rows = [embed_batch(session, tokenizer, chunks[at : at + batch]) for at in range(0, len(chunks), batch)]
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
