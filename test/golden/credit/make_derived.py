"""
Makes derived.json: numbers for the methods that have no published reference (RED, P2T, branch-relative credit, options,
attention concentration), derived a second time and in another way than the program does: closed sums in exact rational
arithmetic instead of recursions, comparison of all pairs instead of a tree, a divergence instead of an entropy.

    python3 test/golden/credit/make_derived.py        (Python 3.10 or later, standard library only)
"""
import json
import math
import random
from fractions import Fraction as F
from pathlib import Path

rng = random.Random(49)


def number(low=-1.0, high=1.0):
    return round(rng.uniform(low, high), 4)


def exact(value):
    return F(str(value))


def plain(value):
    if isinstance(value, F):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


def discounted_from(rewards, gamma, t):
    return sum(gamma ** (k - t) * rewards[k] for k in range(t, len(rewards)))


def red(length, gamma):
    scores = [number() for _ in range(length)]
    base = number()
    s = [exact(base)] + [exact(x) for x in scores]
    g = exact(gamma)
    rewards = [s[t + 1] - s[t] for t in range(length)]
    return {
        "prefix_scores": scores, "base_score": base, "gamma": gamma, "token_rewards": rewards,
        "returns": [discounted_from(rewards, g, t) for t in range(length)],
        "sum": s[-1] - s[0],
    }


def p2t(length, gamma):
    influences = [number() for _ in range(length)]
    rewards = [exact(x) for x in influences]
    return {
        "token_influences": influences, "gamma": gamma,
        "returns": [discounted_from(rewards, exact(gamma), t) for t in range(length)],
    }


def mbpo(name, rollouts, outcomes):
    """rollouts: lists of [kind, key]. Siblings are found by comparing every pair of rollouts, no tree is built."""
    values, siblings, advantages, normalised = [], [], [], []
    for pieces in rollouts:
        row = ([], [], [], [])
        for at, (kind, _) in enumerate(pieces):
            if kind != "action":
                continue
            here = [j for j, other in enumerate(rollouts)
                    if other[:at] == pieces[:at] and len(other) > at and other[at][0] == "action"]
            ways = {}
            for j in here:
                ways.setdefault(rollouts[j][at][1], []).append(exact(outcomes[j]))
            mean_of = {key: sum(members) / len(members) for key, members in ways.items()}
            own = mean_of[pieces[at][1]]
            centre = sum(mean_of.values()) / len(mean_of)
            if len(mean_of) > 1:
                variance = sum((v - centre) ** 2 for v in mean_of.values()) / (len(mean_of) - 1)
            else:
                variance = F(0)
            std = math.sqrt(variance)
            row[0].append(own)
            row[1].append(len(mean_of))
            row[2].append(own - centre)
            row[3].append(0.0 if variance == 0 else float(own - centre) / (std + 1e-6))
        for target, part in zip((values, siblings, advantages, normalised), row):
            target.append(part)
    return {"name": name, "rollouts": rollouts, "outcomes": outcomes, "values": values, "siblings": siblings,
            "mean": advantages, "mean_std": normalised}


def options(name, lengths, gamma, lam, terminal):
    options_ = [{"rewards": [number() for _ in range(n)], "values": [number() for _ in range(n)]} for n in lengths]
    bootstrap = 0.0 if terminal else number()
    g, l = exact(gamma), exact(lam)
    rewards = [[exact(x) for x in o["rewards"]] for o in options_]
    values = [[exact(x) for x in o["values"]] for o in options_]
    after = [values[k + 1][0] if k + 1 < len(lengths) else exact(bootstrap) for k in range(len(lengths))]
    low = []
    for r, v, end in zip(rewards, values, after):
        n = len(r)
        following = v[1:] + [end]
        delta = [r[j] + g * following[j] - v[j] for j in range(n)]
        low.append([sum((g * l) ** (m - j) * delta[m] for m in range(j, n)) for j in range(n)])
    total = [discounted_from(r, g, 0) for r in rewards]
    delta = [total[k] + g ** lengths[k] * after[k] - values[k][0] for k in range(len(lengths))]
    high = []
    for k in range(len(lengths)):
        advantage = F(0)
        for m in range(k, len(lengths)):
            weight = F(1)
            for i in range(k, m):
                weight *= g ** lengths[i] * l
            advantage += weight * delta[m]
        high.append(advantage)
    return {"name": name, "options": options_, "gamma": gamma, "lambda": lam, "terminal": terminal,
            "bootstrap_value": bootstrap, "low": low, "high_deltas": delta, "high": high}


def concentration(row):
    """KL(row || uniform) / ln n, which is 1 - H(row) / ln n."""
    n = len(row)
    if n == 1:
        return 1.0
    return sum(p * math.log(p * n) for p in row if p > 0) / math.log(n)


def attention_row(length, sharpness):
    weights = [math.exp(sharpness * number()) for _ in range(length)]
    total = sum(weights)
    return [w / total for w in weights]


def tree(name, size, depth, keys):
    rollouts = []
    for _ in range(size):
        pieces = [["observation", "prompt"]]
        for _ in range(rng.randint(1, depth)):
            pieces.append(["action", rng.choice(keys)])
            if rng.random() < 0.7:
                pieces.append(["observation", rng.choice(["seen", "hidden"])])
        rollouts.append(pieces)
    return mbpo(name, rollouts, [number() for _ in range(size)])


rows = [[1.0], [0.5, 0.5], [0.0, 1.0, 0.0], attention_row(5, 1), attention_row(9, 4), attention_row(2, 8)]
derived = {
    "red": [red(1, 1), red(5, 1), red(7, 0.9)],
    "p2t": [p2t(4, 1), p2t(6, 0.5)],
    "mbpo": [
        mbpo("hand: two ways, then only children",
             [[["observation", "p"], ["action", "a"], ["observation", "x"], ["action", "c"]],
              [["observation", "p"], ["action", "a"], ["observation", "x"], ["action", "d"]],
              [["observation", "p"], ["action", "b"]]],
             [1, 0, 0]),
        mbpo("an observation that differs is another place, not a sibling",
             [[["observation", "p"], ["action", "a"], ["observation", "x"], ["action", "c"]],
              [["observation", "p"], ["action", "a"], ["observation", "y"], ["action", "d"]]],
             [1, 0]),
        mbpo("equal outcomes", [[["observation", "p"], ["action", "a"]], [["observation", "p"], ["action", "b"]]], [0.1, 0.1]),
        tree("random, deep", 12, 4, ["a", "b"]),
        tree("random, wide", 16, 2, ["a", "b", "c", "d"]),
    ],
    "option": [
        options("one option, terminal", [3], 0.9, 0.8, True),
        options("three options, terminal", [2, 1, 3], 0.9, 0.95, True),
        options("two options, cut", [4, 2], 0.99, 0.5, False),
        options("lambda 1", [2, 3], 0.9, 1, True),
    ],
    "row_concentration": [{"row": row, "concentration": concentration(row)} for row in rows],
}

target = Path(__file__).with_name("derived.json")
target.write_text(json.dumps(plain(derived), indent=1) + "\n")
print(f"wrote {target.name}")
