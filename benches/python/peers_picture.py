"""Draws the report of the comparison with other vector indexes.

usage: peers_picture.py REPORT.json PICTURE.svg

A row for each collection: queries per second against recall, build time, memory beside the vectors.
"""

import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "peers"
from matplotlib import pyplot

OURS = "ours"


def main(report_file: str, picture: str) -> None:
    with open(report_file, encoding="utf-8") as file:
        collections = json.load(file)["collections"]
    size = (15, 5 * len(collections))
    figure, rows = pyplot.subplots(len(collections), 3, figsize=size, squeeze=False)
    for collection, row in zip(collections, rows):
        draw(collection, row)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


def draw(collection, row) -> None:
    speed, build, memory = row
    by_index = {}
    for point in collection["points"]:
        by_index.setdefault(point["index"], []).append(point)
    for name, points in by_index.items():
        points.sort(key=lambda point: point["recall"])
        recalls = [point["recall"] for point in points]
        rates = [point["queries_per_second"] for point in points]
        speed.plot(recalls, rates, marker="o", label=name, linewidth=3 if name == OURS else 1.2)
    speed.set(xlabel="recall@10", ylabel="queries per second, one thread", yscale="log", xlim=(0.85, 1.002))
    speed.set_title(f"{collection['vectors']:,} vectors")
    speed.grid(alpha=0.3, which="both")
    speed.legend(fontsize=8)
    first = {name: points[0] for name, points in by_index.items()}
    bars(build, first, "build_seconds", "seconds to build, one thread", log=True)
    bars(memory, first, "bytes_beside", "bytes beside every byte of the vectors", log=False)


def bars(axes, first, figure, label, log) -> None:
    names = list(first)
    values = [max(first[name][figure], 0) for name in names]
    colours = [f"C{number}" for number in range(len(names))]
    axes.barh(names, values, color=colours)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    if log:
        axes.set_xscale("symlog", linthresh=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
