"""Makes the SkyRL dumps in skyrl/ and expected.json, what a right reading of each gives.

Stand-in classes under SkyRL's dotted names are pickled, so that the files name what SkyRL's own do; no SkyRL is needed.
Rewards are drawn first, returns and advantages are computed forward from them in float32, and rewards are left out of
the dump, so that the expected numbers come from another direction than the reader's.

Run: python make_skyrl.py    (Python 3.11, torch 2.13, numpy 2.4)
"""
import io
import json
import pickle
import sys
import types
from pathlib import Path

import numpy as np
import torch

OUT = Path(__file__).parent / "skyrl"
NEW = "skyrl.backends.skyrl_train.training_batch"
OLD = "skyrl_train.training_batch"
PAD = 0


def stand_in(dotted):
    """An importable module by that name, with the names that a pickle looks up."""
    parts = dotted.split(".")
    for k in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:k]), types.ModuleType(".".join(parts[:k])))
    return sys.modules[dotted]


def define(module, name, value):
    value.__module__ = module
    value.__qualname__ = name
    value.__name__ = name
    setattr(stand_in(module), name, value)
    return value


def numpy_form(tensor):
    array = tensor.numpy()
    return {"format": "numpy", "data": array.tobytes(), "shape": array.shape, "dtype": str(array.dtype)}


def torch_zip(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def form(value):
    if value is None:
        return None
    if isinstance(value, list):
        return {"format": "tensor_list", "items": [form(item) for item in value]}
    if value.dtype == torch.bfloat16:
        return {"format": "torch", "data": torch_zip(value)}
    return numpy_form(value)


def _rebuild(cls, state):
    raise RuntimeError("only named, never called")


rebuild = define(NEW, "_rebuild_tensor_batch", _rebuild)


class NewBatch(dict):
    def __reduce__(self):
        return rebuild, (type(self), self.state)


class OldBatch(dict):
    """Pickles its entries in torch's own way, and a state beside them where it has one."""

    def __getstate__(self):
        return self.state


define(NEW, "TrainingInputBatch", NewBatch)
define(OLD, "TrainingInputBatch", OldBatch)


def write(name, fields, metadata, batch=NewBatch, forms=form, protocol=4):
    size = len(fields["sequences"])
    made = batch()
    made.state = {
        "batch_dict": {key: forms(value) for key, value in fields.items()},
        "batch_size": size,
        "device": torch.device("cpu"),
        "metadata": metadata,
    }
    if batch is OldBatch:
        made.update({key: value for key, value in fields.items() if value is not None})
    (OUT / f"{name}.pkl").write_bytes(pickle.dumps(made, protocol=protocol))


def lay_out(rollouts, left_padded=True):
    """Rows of one width: one block padded on the left, or prompts padded left and responses padded right."""
    prompts, responses = [r["prompt"] for r in rollouts], [r["response"] for r in rollouts]
    R = max(map(len, responses))
    if left_padded:
        S = max(len(p) + len(r) for p, r in zip(prompts, responses))
        P = S - R
    else:
        P = max(map(len, prompts))
        S = P + R
    B = len(rollouts)
    sequences = torch.full((B, S), PAD, dtype=torch.int64)
    attention = torch.zeros((B, S), dtype=torch.int64)
    response_mask = torch.zeros((B, R), dtype=torch.int64)
    starts = []
    for row, (p, r) in enumerate(zip(prompts, responses)):
        start = S - len(r) if left_padded else P
        sequences[row, start - len(p) : start + len(r)] = torch.tensor(p + r)
        attention[row, start - len(p) : start + len(r)] = 1
        response_mask[row, start - P : start - P + len(r)] = 1
        starts.append(start - P)
    return sequences, attention, response_mask, starts


def spread(rollouts, starts, width, key, dtype=torch.float32, fill=0.0):
    out = torch.full((len(rollouts), width), fill, dtype=dtype)
    for row, (rollout, start) in enumerate(zip(rollouts, starts)):
        out[row, start : start + len(rollout["response"])] = torch.tensor(rollout[key], dtype=dtype)
    return out


def gae(rewards, values, gamma, lam):
    advantages = torch.zeros_like(rewards)
    following = torch.zeros(rewards.shape[0])
    for t in reversed(range(rewards.shape[1])):
        next_value = values[:, t + 1] if t + 1 < rewards.shape[1] else torch.zeros(rewards.shape[0])
        following = rewards[:, t] + gamma * next_value - values[:, t] + gamma * lam * following
        advantages[:, t] = following
    return advantages, advantages + values


def whiten(values, mask):
    chosen = values[mask.bool()]
    return (values - chosen.mean()) / (chosen.var() + 1e-8).sqrt()


def discounted(rewards, mask, gamma):
    out = torch.zeros_like(rewards)
    running = torch.zeros(rewards.shape[0])
    for t in reversed(range(rewards.shape[1])):
        running = rewards[:, t] + gamma * running
        out[:, t] = running
        running = running * mask[:, t]
    return out


def grpo(scores, groups):
    out = torch.zeros_like(scores)
    for group in sorted(set(groups)):
        rows = [k for k, g in enumerate(groups) if g == group]
        own = scores[rows]
        mean, std = (own.mean(), own.std()) if len(rows) > 1 else (torch.tensor(0.0), torch.tensor(1.0))
        out[rows] = (own - mean) / (std + 1e-6)
    return out


def rloo(scores, groups):
    out = torch.zeros_like(scores)
    for group in sorted(set(groups)):
        rows = [k for k, g in enumerate(groups) if g == group]
        n = len(rows)
        if n > 1:
            out[rows] = scores[rows] * n / (n - 1) - scores[rows].mean() * n / (n - 1)
    return out


def draw(rng, prompts, samples, lengths, vocabulary=300, observation=None, zero_rows=()):
    """Rollouts with everything that is recorded of them; `observation` is where the environment spoke."""
    rollouts = []
    k = 0
    for group, count in enumerate(samples):
        prompt = [int(x) for x in rng.integers(5, vocabulary, prompts[group])]
        for _ in range(count):
            length = lengths[k % len(lengths)]
            mask = [1] * length
            if observation is not None and length >= observation[1] + 1:
                mask[observation[0] : observation[1]] = [0] * (observation[1] - observation[0])
            if k in zero_rows:
                mask = [0] * length
            rewards = [float(x) for x in rng.normal(0, 0.02, length)]
            rewards[-1] += float(rng.integers(0, 2))
            rollouts.append(
                {
                    "group": group,
                    "prompt": prompt,
                    "response": [int(x) for x in rng.integers(5, vocabulary, length)],
                    "mask": mask,
                    "logprobs": [float(x) for x in -rng.exponential(1, length)],
                    "ref": [float(x) for x in -rng.exponential(1, length)],
                    "sampled": [float(x) for x in -rng.exponential(1, length)],
                    "values": [float(x) for x in rng.normal(0, 0.3, length)],
                    "rewards": rewards,
                }
            )
            k += 1
    return rollouts


def case(name, rollouts, estimator, gamma=1.0, lam=1.0, pad=0, left_padded=True, boundaries=True, value_dtype=torch.float32, extra=None, last_step=None, outcome_only=False, **how):
    rng = np.random.default_rng(7)
    if outcome_only:
        for r in rollouts:
            r["rewards"] = [0.0] * (len(r["response"]) - 1) + [round(sum(r["rewards"]), 3)]
    sequences, attention, response_mask, starts = lay_out(rollouts, left_padded)
    width = response_mask.shape[1]
    # What a critic says of places outside the response is not zero.
    values = torch.tensor(rng.normal(0, 5, response_mask.shape), dtype=torch.float32)
    own = spread(rollouts, starts, width, "values")
    values = torch.where(response_mask.bool(), own, values).to(value_dtype)
    rewards = spread(rollouts, starts, width, "rewards")
    groups = [r["group"] for r in rollouts]
    with_values = estimator == "gae"
    if estimator == "gae":
        advantages, returns = gae(rewards, values.float(), gamma, lam)
        advantages = whiten(advantages, response_mask)
    elif estimator == "reinforce++":
        returns = discounted(rewards, response_mask.float(), gamma)
        advantages = whiten(returns, response_mask) * response_mask
    else:
        scores = rewards.sum(-1)
        if last_step is not None:
            # The last step's advantage is given to all steps of its rollout.
            rows = [k for k, last in enumerate(last_step) if last]
            own = (grpo if estimator == "grpo" else rloo)(scores[rows], [groups[k] for k in rows])
            episode = [sum(last_step[:k]) for k in range(len(last_step))]
            scores = own[episode]
        else:
            scores = (grpo if estimator == "grpo" else rloo)(scores, groups)
        advantages = returns = scores.unsqueeze(-1) * response_mask
    fields = {
        "sequences": sequences,
        "attention_mask": attention,
        "response_mask": response_mask,
        "loss_mask": spread(rollouts, starts, width, "mask"),
        "action_log_probs": spread(rollouts, starts, width, "logprobs", fill=-9.0),
        "base_action_log_probs": spread(rollouts, starts, width, "ref", fill=-9.0),
        "rollout_logprobs": spread(rollouts, starts, width, "sampled"),
        "values": values if with_values else None,
        "advantages": advantages,
        "returns": returns,
    }
    if extra is not None:
        fields.update(extra(len(rollouts) + pad))
    if pad:
        for key, value in fields.items():
            if isinstance(value, torch.Tensor) and len(value) == len(rollouts):
                copies = value[:1].repeat(pad, *[1] * (value.dim() - 1))
                fields[key] = torch.cat([value, torch.zeros_like(copies) if key == "loss_mask" else copies])
    counted = [k for k in range(len(rollouts)) if last_step is None or last_step[k]]
    metadata = {
        "response_length": width,
        "avg_response_length": float(np.mean([len(r["response"]) for r in rollouts])),
        "pad_size": pad,
        "metrics": {
            "avg_final_rewards": float(rewards.sum(-1)[counted].mean()),
            "avg_response_length": float(np.mean([len(r["response"]) for r in rollouts])),
        },
    }
    if boundaries:
        edges = [0] + [k for k in range(1, len(groups)) if groups[k] != groups[k - 1]] + [len(groups)]
        metadata["policy_prompt_boundaries"] = list(zip(edges[:-1], edges[1:]))
        metadata["policy_mini_batch_boundaries"] = [(0, len(groups))]
    if last_step is not None:
        metadata["is_last_step"] = list(last_step) + [True] * pad
    write(name, fields, metadata, **how)
    expected = {
        "estimator": estimator,
        "gamma": gamma,
        "lambda": lam,
        "avg_final_rewards": metadata["metrics"]["avg_final_rewards"],
        "rows": [
            {
                "group": r["group"],
                "prompt": r["prompt"],
                "response": r["response"],
                "mask": r["mask"],
                "logprobs": np.float32(r["logprobs"]).tolist(),
                "ref_logprobs": np.float32(r["ref"]).tolist(),
                "values": values[k, starts[k] : starts[k] + len(r["response"])].float().tolist() if with_values else None,
                "rewards": np.float32(r["rewards"]).tolist(),
                "returns": returns[k, starts[k] : starts[k] + len(r["response"])].tolist(),
            }
            for k, r in enumerate(rollouts)
        ],
    }
    return expected


class System:
    def __reduce__(self):
        import os

        return os.system, ("echo pwned > /tmp/recompense-pickle-ran",)


def cyclic():
    loop = []
    loop.append(loop)
    made = NewBatch()
    made.state = {"batch_dict": {}, "batch_size": 0, "device": None, "metadata": {"loop": loop}}
    return made


def main():
    OUT.mkdir(exist_ok=True)
    rng = np.random.default_rng(42)
    expected = {}
    ragged = dict(prompts=[3, 5, 4], samples=[2, 2, 2], lengths=[4, 7, 2, 6, 1, 5])
    expected["gae"] = case("gae", draw(rng, **ragged, observation=(2, 4)), "gae", 0.99, 0.95, pad=2)
    expected["gae_bf16"] = case("gae_bf16", draw(rng, **ragged), "gae", 1.0, 0.95, value_dtype=torch.bfloat16)
    expected["gae_no_boundaries"] = case("gae_no_boundaries", draw(rng, **ragged), "gae", boundaries=False, pad=1)
    expected["reinforce"] = case("reinforce", draw(rng, **ragged, observation=(1, 2)), "reinforce++", 0.9)
    groups = dict(prompts=[3, 5, 4, 2], samples=[4, 3, 1, 2], lengths=[4, 7, 2, 6, 1, 5])
    expected["grpo"] = case("grpo", draw(rng, **groups, zero_rows=(1,)), "grpo", outcome_only=True)
    expected["rloo"] = case("rloo", draw(rng, **groups), "rloo", outcome_only=True)
    steps = [False, True, True, False, False, True, False, True]
    expected["steps"] = case("steps", draw(rng, [3, 4], [3, 5], [3, 2, 4]), "grpo", last_step=steps, pad=1, outcome_only=True)
    expected["tensor_list"] = case(
        "tensor_list",
        draw(rng, **ragged),
        "gae",
        extra=lambda rows: {
            "pixel_values": [torch.zeros((k + 1, 4)) for k in range(rows)],
            "image_grid_thw": [torch.ones((1, 3), dtype=torch.int64) for _ in range(rows)],
            "rollout_expert_indices": torch.zeros((rows, 3, 2, 2), dtype=torch.int32),
        },
    )
    # One tensor of more than 64 KiB, which pickle writes outside its frames.
    expected["large"] = case(
        "large",
        draw(rng, [3], [2], [4, 5], vocabulary=70000),
        "reinforce++",
        extra=lambda rows: {"rollout_expert_indices": torch.zeros((rows, 66, 64, 8), dtype=torch.uint8)},
    )
    expected["old_layout"] = case("old_layout", draw(rng, **ragged), "gae", 1.0, 0.95, left_padded=False, batch=OldBatch, forms=torch_zip)
    expected["old_numpy"] = case("old_numpy", draw(rng, **ragged), "gae", batch=OldBatch)
    bare = OldBatch(sequences=torch.zeros((1, 2), dtype=torch.int64))
    bare.state = None
    (OUT / "old_bare.pkl").write_bytes(pickle.dumps(bare, protocol=4))
    expected["protocol5"] = case("protocol5", draw(rng, [2], [2], [3]), "gae", protocol=5)
    (OUT / "system.pkl").write_bytes(pickle.dumps(System(), protocol=4))
    (OUT / "cyclic.pkl").write_bytes(pickle.dumps(cyclic(), protocol=4))
    (Path(__file__).parent / "skyrl" / "expected.json").write_text(json.dumps(expected) + "\n")


main()
