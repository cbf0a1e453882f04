"""Runs the reference metrics: reference.py REFERENCE_METRICS.py SUITE GOLD FOUND.

The reference takes its one-to-one assignment from scipy. Where that is not installed the Hungarian
method below stands in (Kuhn, 1955, with potentials), so that the comparison runs on every machine.
"""

import runpy
import sys
import types


def linear_sum_assignment(cost):
    """Rows and columns of a cheapest assignment of a table of costs."""
    cost = [list(map(float, row)) for row in cost]
    turned = bool(cost) and len(cost) > len(cost[0])
    if turned:
        cost = [list(column) for column in zip(*cost)]
    rows, columns = len(cost), len(cost[0]) if cost else 0
    row_price, column_price = [0.0] * (rows + 1), [0.0] * (columns + 1)
    row_of, way = [0] * (columns + 1), [0] * (columns + 1)
    for row in range(1, rows + 1):
        row_of[0], at = row, 0
        least, seen = [float("inf")] * (columns + 1), [False] * (columns + 1)
        while row_of[at]:
            seen[at] = True
            here, step, following = row_of[at], float("inf"), 0
            for column in range(1, columns + 1):
                if seen[column]:
                    continue
                reduced = cost[here - 1][column - 1] - row_price[here] - column_price[column]
                if reduced < least[column]:
                    least[column], way[column] = reduced, at
                if least[column] < step:
                    step, following = least[column], column
            for column in range(columns + 1):
                if seen[column]:
                    row_price[row_of[column]] += step
                    column_price[column] -= step
                else:
                    least[column] -= step
            at = following
        while at:
            row_of[at] = row_of[way[at]]
            at = way[at]
    pairs = sorted((row_of[column] - 1, column - 1) for column in range(1, columns + 1) if row_of[column])
    if turned:
        pairs = sorted((column, row) for row, column in pairs)
    return [row for row, _ in pairs], [column for _, column in pairs]


def stand_in():
    optimize = types.ModuleType("scipy.optimize")
    optimize.linear_sum_assignment = linear_sum_assignment
    scipy = types.ModuleType("scipy")
    scipy.optimize = optimize
    sys.modules |= {"scipy": scipy, "scipy.optimize": optimize}


if __name__ == "__main__":
    try:
        import scipy.optimize  # noqa: F401
    except ImportError:
        stand_in()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
