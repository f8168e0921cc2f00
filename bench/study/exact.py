# SPDX-License-Identifier: BSD-3-Clause
"""The published generator once more, in rational arithmetic and as Section 8.5 tells it, to check what the study says.

    exact.py STUDY RECORDING INDEX...

INDEX: places among the 2880 configurations, of which the study prints the table lines. Only the minimum is fitted here, so
configurations that refer to the median are refused.
"""

import math
import subprocess
import sys
from fractions import Fraction
from itertools import product

UNIT = 1e-4
KNOBS = (3, 10, 2, 3, 2, 2, 2, 2)
CUBIC = 3


def read(path):
    """The grain, the degrees of the cost, and for each call its samples and what one of them cost with its warm run."""
    calls = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            word, *rest = line.split()
            if word == "kernel":
                kernel = rest[0]
            elif word == "case":
                degrees = (1, 1, 1) if kernel == "dgemm" else {"L": (2, 1), "R": (1, 2)}[rest[0][0]]
            elif word == "grain":
                grain = int(rest[0])
            elif word.isdigit():
                fields = line.split()
                count = len(degrees)
                least = 1e-9 * float(fields[count + 1])
                times = [least * (1.0 + UNIT * int(excess)) for excess in fields[count + 5 :]]
                calls[tuple(map(int, fields[:count]))] = (times, 2.0 * sum(times) / len(times))
    return grain, degrees, calls


def rounded(value, grain):
    return math.floor(value / grain + 0.5) * grain


def points_of(lower, upper, count, chebyshev, grain):
    center, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    places = [(-math.cos(math.pi * i / (count - 1)) if chebyshev else 2.0 * i / (count - 1) - 1.0) for i in range(count)]
    # the middle of the cosine is 6e-17 instead of 0
    inner = [rounded(center + half * round(place, 12), grain) for place in places[1:-1]]
    return sorted({lower, upper} | {point for point in inner if lower < point < upper})


def solve(rows):
    """Least squares of rows (columns..., 1): normal equations, without any rounding."""
    size = len(rows[0])
    rows = [[Fraction(value) for value in row] for row in rows]
    system = [[sum(row[i] * row[j] for row in rows) for j in range(size)] + [sum(row[i] for row in rows)] for i in range(size)]
    for i in range(size):
        pivot = next(k for k in range(i, size) if system[k][i] != 0)
        system[i], system[pivot] = system[pivot], system[i]
        for k in range(i + 1, size):
            factor = system[k][i] / system[i][i]
            if factor:
                system[k] = [a - factor * b for a, b in zip(system[k], system[i])]
    solution = [Fraction(0)] * size
    for i in reversed(range(size)):
        rest = sum(system[i][k] * solution[k] for k in range(i + 1, size))
        solution[i] = (system[i][size] - rest) / system[i][i]
    return [float(value) for value in solution]


class Piece:
    """A polynomial on a box."""

    def __init__(self, lower, upper, degrees, grids, values):
        self.lower, self.upper = lower, upper
        self.degrees = [self.carried(wanted, len(grid)) for wanted, grid in zip(degrees, grids)]
        self.floor = 0.5 * min(values.values())
        rows = [[term / values[point] for term in self.terms(point)] for point in values]
        self.coefficients = solve(rows)
        self.errors = sorted(abs(self.raw(point) - value) / value for point, value in values.items())

    @staticmethod
    def carried(wanted, points):
        if points >= wanted + 2:
            return wanted
        return points - 2 if points - 2 >= CUBIC else min(wanted, points - 1)

    def terms(self, point):
        scaled = [
            (2.0 * p - low - up) / (up - low) if up > low else 0.0 for p, low, up in zip(point, self.lower, self.upper)
        ]
        return [math.prod(x**k for x, k in zip(scaled, powers)) for powers in product(*(range(d + 1) for d in self.degrees))]

    def raw(self, point):
        return sum(c * term for c, term in zip(self.coefficients, self.terms(point)))

    def value(self, point):
        return max(self.raw(point), self.floor)

    def measure(self, share):
        place = share * (len(self.errors) - 1)
        below = int(place)
        above = min(below + 1, len(self.errors) - 1)
        return self.errors[below] + (place - below) * (self.errors[above] - self.errors[below])

    def has(self, point):
        return all(low <= p <= up for p, low, up in zip(point, self.lower, self.upper))


def configuration(index):
    places = []
    for count in reversed(KNOBS):
        places.append(index % count)
        index //= count
    overfitting, oversampling, chebyshev, repetitions, median, maximum, bound, width = reversed(places)
    if median:
        sys.exit("exact.py: only configurations that refer to the minimum can be checked")
    return overfitting, oversampling + 1, chebyshev, 5 * (repetitions + 1), maximum, 0.01 * (bound + 1), 32 * (width + 1)


def generate(recording, index):
    """Error, cost, points and pieces of one configuration."""
    grain, degrees, calls = recording
    overfitting, oversampling, chebyshev, repetitions, maximum, bound, width = configuration(index)
    dimensions = range(len(degrees))
    degrees = [degree + overfitting for degree in degrees]
    used, pieces = set(), []

    def grow(lower, upper):
        grids = [
            points_of(lower[d], upper[d], degrees[d] + 1 + oversampling, chebyshev, grain) for d in dimensions
        ]
        values = {point: min(calls[point][0][:repetitions]) for point in product(*grids)}
        used.update(values)
        piece = Piece(lower, upper, degrees, grids, values)
        middles = [rounded(0.5 * (lower[d] + upper[d]), grain) for d in dimensions]
        may = [d for d in dimensions if upper[d] - lower[d] >= width and lower[d] < middles[d] < upper[d]]
        judged = len(values) > len(piece.coefficients) and piece.measure(1.0 if maximum else 0.9) > bound
        if not judged or not may:
            pieces.append(piece)
            return
        d = max(may, key=lambda d: upper[d] / lower[d])
        grow(lower, [middles[d] if k == d else upper[k] for k in dimensions])
        grow([middles[d] if k == d else lower[k] for k in dimensions], upper)

    grow([min(point[d] for point in calls) for d in dimensions], [max(point[d] for point in calls) for d in dimensions])
    # a boundary belongs to the lower piece, which comes first
    errors = []
    for point, (times, _) in calls.items():
        predicted = next(piece for piece in pieces if piece.has(point)).value(point)
        errors.append(abs(predicted - min(times)) / min(times))
    cost = sum(min(repetitions, len(calls[point][0])) * calls[point][1] for point in used)
    return sum(errors) / len(errors), max(errors), cost, len(used), len(pieces)


def main(study, path, *indices):
    recording = read(path)
    only = [argument for index in indices for argument in ("--only", index)]
    lines = subprocess.run([study, *only, path], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == len(indices) + 1, lines
    failures = 0
    for index, line in zip(indices, lines[1:]):
        fields = line.split("\t")
        told = [float(fields[8]), float(fields[10]), float(fields[9]), int(fields[15]), int(fields[16])]
        exact = generate(recording, int(index))
        # the table has six decimals
        good = all(abs(a - b) <= 0.6e-6 + 1e-6 * abs(b) for a, b in zip(told, exact))
        print("ok" if good else "not ok", f"- configuration {index}: {told} {exact}")
        failures += not good
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
