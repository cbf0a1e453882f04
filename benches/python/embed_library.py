"""Embedding in bulk with sentence-transformers in its default settings, on all cores.

usage: embed_library.py WEIGHTS.safetensors TOKENIZER.json WINDOW FOLDER CHUNKS.json VECTORS.f32

Writes a model folder as the library wants it to FOLDER. Prints one JSON line when ready. Then each
line read from standard input starts one run over all chunks, which writes the vectors (little-endian
f32, one row per chunk) and prints one JSON line.
"""

import json
import os
import shutil
import sys
import time
from pathlib import Path

# The model is a folder; nothing is to be looked for elsewhere.
os.environ["HF_HUB_OFFLINE"] = "1"

import sentence_transformers
import torch

CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "hidden_size": 384,
    "intermediate_size": 1536,
    "num_attention_heads": 12,
    "num_hidden_layers": 6,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "vocab_size": 30522,
    "pad_token_id": 0,
}
TOKENIZER = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "mask_token": "[MASK]",
    "model_max_length": 512,
}

PARTS = (("", "Transformer"), ("1_Pooling", "Pooling"))
MODULES = [
    {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{name}"}
    for at, (path, name) in enumerate(PARTS)
]
POOLING = {"word_embedding_dimension": CONFIG["hidden_size"], "pooling_mode_mean_tokens": True}


def main(weights: str, tokenizer: str, window: str, folder: str, chunks_file: str, vectors_file: str) -> None:
    with open(chunks_file, encoding="utf-8") as file:
        chunks = json.load(file)
    torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    model = load(Path(folder), weights, tokenizer, int(window))
    say(
        sentence_transformers=sentence_transformers.__version__,
        torch=torch.__version__,
        threads=torch.get_num_threads(),
    )
    for _ in sys.stdin:
        start = time.perf_counter()
        vectors = model.encode(chunks, normalize_embeddings=True, show_progress_bar=False)
        seconds = time.perf_counter() - start
        vectors.astype("<f4").tofile(vectors_file)
        say(seconds=seconds)


def load(folder: Path, weights: str, tokenizer: str, window: int):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(weights, folder / "model.safetensors")
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "tokenizer_config.json").write_text(json.dumps(TOKENIZER))
    (folder / "modules.json").write_text(json.dumps(MODULES))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": window, "do_lower_case": False}))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(POOLING))
    return sentence_transformers.SentenceTransformer(str(folder), device="cpu")


def say(**record):
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
