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
    names = dict.fromkeys(point["index"] for each in collections for point in each["points"])
    colours = {name: f"C{number}" for number, name in enumerate(names)}
    for collection, row in zip(collections, rows):
        draw(collection, row, colours)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


def draw(collection, row, colours) -> None:
    speed, build, memory = row
    by_index = {}
    for point in collection["points"]:
        by_index.setdefault(point["index"], []).append(point)
    for name, points in by_index.items():
        points.sort(key=lambda point: point["recall"])
        recalls = [point["recall"] for point in points]
        rates = [point["queries_per_second"] for point in points]
        width = 3 if name == OURS else 1.2
        speed.plot(recalls, rates, marker="o", label=name, linewidth=width, color=colours[name])
    speed.set(xlabel="recall@10", ylabel="queries per second, one thread", yscale="log", xlim=(0.85, 1.002))
    speed.set_title(f"{collection['vectors']:,} vectors")
    speed.grid(alpha=0.3, which="both")
    speed.legend(fontsize=8, loc="lower left")
    first = {name: points[0] for name, points in by_index.items()}
    bars(build, first, colours, "build_seconds", "seconds to build, one thread", log=True)
    bars(memory, first, colours, "bytes_beside", "bytes beside every byte of the vectors", log=False)


def bars(axes, first, colours, figure, label, log) -> None:
    names = list(first)
    values = [max(first[name][figure], 0) for name in names]
    axes.barh(names, values, color=[colours[name] for name in names])
    axes.invert_yaxis()
    axes.set_xlabel(label)
    if log:
        axes.set_xscale("symlog", linthresh=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
