"""Golden numbers of torch.optim.AdamW and clip_grad_norm_ on float32 tensors, several steps with a changing rate.

Run with the interpreter that has torch: python make_adamw.py > adamw.json
"""
import json
import sys

import torch


def case(name, n, rates, decay, clip, scale):
    g = torch.Generator().manual_seed(7)
    p = torch.nn.Parameter(torch.empty(n).normal_(0, 0.3, generator=g))
    p.data[0] = 0.0
    opt = torch.optim.AdamW([p], lr=1.0, weight_decay=decay)
    out = {"name": name, "weight_decay": decay, "clip": clip, "initial": p.detach().tolist(), "steps": []}
    for rate in rates:
        p.grad = torch.empty(n).normal_(0, scale, generator=g)
        p.grad[1] = 0.0
        row = {"learning_rate": rate, "gradient": p.grad.tolist()}
        row["norm"] = float(torch.nn.utils.clip_grad_norm_([p], clip))
        row["clipped"] = p.grad.tolist()
        for group in opt.param_groups:
            group["lr"] = rate
        opt.step()
        state = opt.state[p]
        row.update(parameters=p.detach().tolist(), m=state["exp_avg"].tolist(), v=state["exp_avg_sq"].tolist())
        out["steps"].append(row)
    return out


json.dump(
    {
        "made_with": {"python": sys.version.split()[0], "torch": torch.__version__},
        "cases": [
            case("three_steps", 64, [3.3333333333333337e-06, 6.666666666666667e-06, 1e-05], 0.01, 1.0, 0.5),
            case("large_rate", 37, [1e-2, 5e-2, 1e-3, 0.0, 1e-2], 0.01, 1e9, 1e-3),
            case("no_decay", 16, [1e-3] * 6, 0.0, 0.1, 2.0),
        ],
    },
    sys.stdout,
)
