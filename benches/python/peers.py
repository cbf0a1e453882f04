"""Other vector indexes, as the other side of a comparison: one thread, all in one process.

usage: peers.py VECTORS.f32 QUERIES.f32 DIMENSION FOLDER

Prints one JSON line with versions when ready. Then every line read from standard input is a JSON
command, answered by one JSON line:
  {"build": NAME}                   builds an index, or reads the one that FOLDER keeps
      -> {"seconds": processor time of building, "bytes": beside the raw vectors}
  {"search": NAME, "setting": N, "queries": N, "k": N, "found": FILE}
      -> {"seconds": processor time, "clock": time by the clock}; FILE gets little-endian
         unsigned 32-bit numbers of vectors, k for each query
hnswlib and usearch are given all queries in one call, the others one query at a time.
"""

import json
import os
import platform
import sys
import time
from importlib.metadata import version

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import apsw
import faiss
import hnswlib
import numpy
import sqlite_vec
from usearch.index import Index

faiss.omp_set_num_threads(1)
PACKAGES = ("hnswlib", "faiss-cpu", "usearch", "sqlite-vec", "numpy")


class Hnswlib:
    """M 16, ef_construction 200; the setting is ef."""

    def __init__(self, vectors):
        self.index = hnswlib.Index(space="ip", dim=vectors.shape[1])

    def build(self, vectors):
        self.index.init_index(max_elements=len(vectors), M=16, ef_construction=200, random_seed=42)
        self.index.add_items(vectors, num_threads=1)

    def save(self, file):
        self.index.save_index(file)

    def load(self, file, vectors):
        self.index.load_index(file, max_elements=len(vectors))

    def search(self, queries, k, setting):
        self.index.set_ef(max(setting, k))
        return self.index.knn_query(queries, k=k, num_threads=1)[0]


class Usearch:
    """Connectivity 16, f32; the setting is the expansion of a search."""

    def __init__(self, vectors):
        self.index = Index(ndim=vectors.shape[1], metric="ip", dtype="f32", connectivity=16)

    def build(self, vectors):
        self.index.add(numpy.arange(len(vectors)), vectors, threads=1)

    def save(self, file):
        self.index.save(file)

    def load(self, file, vectors):
        self.index.load(file)

    def search(self, queries, k, setting):
        self.index.expansion_search = setting
        return self.index.search(queries, k, threads=1).keys


class Faiss:
    """An index of the factory's; the setting is the number of lists looked into, if there are."""

    def __init__(self, description):
        self.description = description

    def build(self, vectors):
        count = len(vectors)
        lists = 512 if count <= 200_000 else 2_048
        description = self.description.format(lists=lists)
        self.index = faiss.index_factory(vectors.shape[1], description, faiss.METRIC_INNER_PRODUCT)
        self.index.train(vectors)
        self.index.add(vectors)

    def save(self, file):
        faiss.write_index(self.index, file)

    def load(self, file, vectors):
        self.index = faiss.read_index(file)

    def search(self, queries, k, setting):
        refined = isinstance(self.index, faiss.IndexRefine)
        inner = faiss.downcast_index(self.index.base_index) if refined else self.index
        if refined:
            self.index.k_factor = 10
        if hasattr(inner, "nprobe"):
            inner.nprobe = setting
        rows = [self.index.search(queries[i : i + 1], k)[1] for i in range(len(queries))]
        return numpy.concatenate(rows)


class FaissLsh(Faiss):
    """512 sign bits scanned whole, the best 100 compared exactly."""

    def __init__(self, vectors):
        super().__init__("")

    def build(self, vectors):
        base = faiss.IndexLSH(vectors.shape[1], 512, True, False)
        base.train(vectors)
        self.index = faiss.IndexRefineFlat(base)
        self.parts = (base, self.index)
        self.index.add(vectors)


class SqliteVec:
    """A virtual table that is scanned whole; there is nothing to set."""

    def __init__(self, vectors):
        self.dimension = vectors.shape[1]

    def open(self, file):
        self.db = apsw.Connection(file)
        self.db.enable_load_extension(True)
        self.db.load_extension(sqlite_vec.loadable_path())

    def build(self, vectors):
        self.open(":memory:")
        self.db.execute(f"create virtual table v using vec0(e float[{self.dimension}])")
        rows = ((i, vector.tobytes()) for i, vector in enumerate(vectors))
        with self.db:
            self.db.executemany("insert into v(rowid, e) values (?, ?)", rows)

    def save(self, file):
        self.db.execute("vacuum into ?", (file,))

    def load(self, file, vectors):
        self.open(file)

    def search(self, queries, k, setting):
        ask = "select rowid from v where e match ? and k = ? order by distance"
        rows = [[row[0] for row in self.db.execute(ask, (q.tobytes(), k))] for q in queries]
        return numpy.array(rows)


MAKERS = {
    "hnswlib": Hnswlib,
    "usearch": Usearch,
    "faiss exact": lambda _: Faiss("Flat"),
    "faiss IVF flat": lambda _: Faiss("IVF{lists},Flat"),
    "faiss IVF RaBitQ fast scan + refine": lambda _: Faiss("IVF{lists},RaBitQfs,Refine(Flat)"),
    "faiss LSH 512 bits + refine": FaissLsh,
    "sqlite-vec": SqliteVec,
}


def build(name, vectors, folder):
    """Builds or reads an index; what reading takes is not counted."""
    file = os.path.join(folder, name.replace(" ", "-"))
    notes = file + ".json"
    peer = MAKERS[name](vectors)
    if os.path.exists(notes):
        peer.load(file, vectors)
        with open(notes, encoding="utf-8") as kept:
            return peer, json.load(kept)
    start = time.process_time()
    peer.build(vectors)
    seconds = time.process_time() - start
    peer.save(file)
    answer = {"seconds": seconds, "bytes": os.path.getsize(file) - vectors.nbytes}
    with open(notes, "w", encoding="utf-8") as kept:
        json.dump(answer, kept)
    return peer, answer


def search(peer, queries, command):
    queries = queries[: command["queries"]]
    clock, start = time.perf_counter(), time.process_time()
    found = peer.search(queries, command["k"], command["setting"])
    seconds, clock = time.process_time() - start, time.perf_counter() - clock
    found.astype("<u4").tofile(command["found"])
    return {"seconds": seconds, "clock": clock}


def main(vectors_file, queries_file, dimension, folder):
    read = lambda file: numpy.fromfile(file, "<f4").reshape(-1, int(dimension))
    vectors, queries = read(vectors_file), read(queries_file)
    os.makedirs(folder, exist_ok=True)
    say(python=platform.python_version(), **{name: version(name) for name in PACKAGES})
    peers = {}
    for line in sys.stdin:
        command = json.loads(line)
        if "build" in command:
            name = command["build"]
            peers[name], answer = build(name, vectors, folder)
        else:
            answer = search(peers[command["search"]], queries, command)
        say(**answer)


def say(**record):
    print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
