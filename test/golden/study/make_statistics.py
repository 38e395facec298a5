"""Golden numbers of the study's statistics: NumPy, math.fsum and CPython's random, no code of the product.

Run: python make_statistics.py > statistics.json
"""
import json
import math
import random
import sys

import numpy as np

r = random.Random(5)
samples = {
    "normal20": [r.gauss(0.3, 1.1) for _ in range(20)],
    "offset": [1e9 + r.random() for _ in range(50)],
    "cancelling": [1e16, 1.0, -1e16, 2.5, 1e-3],
    "pair": [1.0, 4.0],
    "constant": [0.1] * 7,
}
moments = []
for name, x in samples.items():
    moments.append({
        "name": name, "values": x, "sum": math.fsum(x), "mean": math.fsum(x) / len(x),
        "sd0": float(np.std(np.array(x, dtype=np.longdouble), ddof=0)), "sd1": float(np.std(np.array(x, dtype=np.longdouble), ddof=1)),
        "quantiles": [[p, float(np.quantile(x, p))] for p in (0, 0.025, 0.25, 0.5, 0.9, 0.975, 1)],
    })


def bootstrap(units, seed, resamples, level):
    g = random.Random(seed)
    n = len(units)
    means = [math.fsum(units[g.randrange(n)] for _ in range(n)) / n for _ in range(resamples)]
    tail = (1 - level) / 2
    return [float(np.quantile(means, tail)), float(np.quantile(means, 1 - tail))]


boots = [
    {"units": samples["normal20"], "seed": s, "resamples": n, "level": l, "interval": bootstrap(samples["normal20"], s, n, l)}
    for s, n, l in ((49, 10000, 0.95), (7, 501, 0.9), (0, 1, 0.95))
]


def wilson(k, n, z=1.959963984540054):
    # The two roots of (p - k/n)^2 = z^2 p (1 - p) / n.
    roots = np.roots([n + z * z, -(2 * k + z * z), k * k / n])
    return sorted(float(x) for x in roots.real)


json.dump(
    {
        "made_with": {"python": sys.version.split()[0], "numpy": np.__version__},
        "moments": moments,
        "bootstrap": boots,
        "wilson": [{"successes": k, "trials": n, "interval": wilson(k, n)} for k, n in ((0, 20), (3, 20), (10, 20), (20, 20), (137, 180), (1, 1))],
    },
    sys.stdout,
)
