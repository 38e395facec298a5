"""Golden numbers of the random generators: PyTorch's CPU generator and CPython's random.Random.

Run with the interpreter that has torch: python make_random.py > random.json
"""
import json
import random
import sys

import torch


def torch_case(seed):
    def gen():
        return torch.Generator().manual_seed(seed)

    g = gen()
    case = {"seed": str(seed)}
    case["randperm"] = [{"n": n, "order": torch.randperm(n, generator=g).tolist()} for n in (1, 2, 10, 168)]
    g = gen()
    case["uniform"] = [
        {"n": n, "low": lo, "high": hi, "values": torch.empty(n).uniform_(lo, hi, generator=g).tolist()}
        for n, lo, hi in ((5, 0.0, 1.0), (40, -0.125, 0.125), (7, -1 / 896**0.5, 1 / 896**0.5))
    ]
    g = gen()
    # One generator throughout: sizes below 16 use a pair cache, sizes from 16 on use blocks; 3 leaves a cached value.
    case["normal"] = [
        {"n": n, "mean": m, "std": s, "values": torch.empty(n).normal_(m, s, generator=g).tolist()}
        for n, m, s in ((1, 0.0, 1.0), (3, 0.5, 2.0), (16, 0.0, 1.0), (1, 0.0, 1.0), (40, 0.0, 0.02), (15, 0.0, 0.02), (23, -1.0, 0.1))
    ]
    case["after"] = torch.randperm(10, generator=g).tolist()
    g = gen()
    case["kaiming"] = []
    for shape in ((8, 64), (8, 128), (8, 896)):
        t = torch.empty(*shape)
        torch.nn.init.kaiming_uniform_(t, a=5**0.5, generator=g)
        case["kaiming"].append({"shape": list(shape), "head": t.flatten()[:6].tolist(), "sum_f64": float(t.double().sum())})
    return case


def python_case(seed):
    r = random.Random(seed)
    case = {"seed": str(seed)}
    case["getrandbits"] = [{"k": k, "value": str(r.getrandbits(k))} for k in (1, 5, 31, 32, 33, 53, 64, 100)]
    case["random"] = [r.random() for _ in range(4)]
    case["randrange"] = [{"start": a, "stop": b, "value": r.randrange(a, b)} for a, b in ((0, 1), (0, 7), (-5, 5), (0, 2**32), (0, 2**40), (3, 4))]
    x = list(range(12))
    r.shuffle(x)
    case["shuffle12"] = x
    version, internal, gauss = r.getstate()
    case["state_head"] = list(internal[:4])
    case["position"] = internal[-1]
    return case


json.dump(
    {
        "made_with": {"python": sys.version.split()[0], "torch": torch.__version__},
        "torch": [torch_case(s) for s in (0, 49, 149, 249, 2**32 + 5, 2**63 + 7, -1)],
        "python": [python_case(s) for s in (0, 1, 49, -49, 2**32, 2**32 + 5, 2**40 + 1, -(2**70) - 3, 2**128 + 9)],
    },
    sys.stdout,
)
