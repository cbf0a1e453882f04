"""Serves a GGUF model over HTTP on a free loopback port, for the tests of chat sessions.

Usage: serve.py MODEL. Prints the address it listens on, then serves until its input ends, so
that it never outlives the test that started it. One thread, so that replies are reproducible.
The folder that holds the `xllamacpp` package must be on PYTHONPATH.
"""

import sys

import xllamacpp


def main(model: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
