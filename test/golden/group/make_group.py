"""Losses of group policy optimisation and of direct preference optimisation with their gradients, by PyTorch.

losses.json            float64 scalars and gradients for given log-probabilities
steps.json, *.safetensors   one gradient each of both losses through base_f32 with the LoRA of ../datc/models.safetensors,
                       the base alone as the reference, float32 (transformers, PEFT)

    python make_group.py        # torch 2.13, transformers 5.18, peft 0.21
"""
import json
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from torch.nn.functional import logsigmoid
from transformers import AutoModelForCausalLM

HERE = Path(__file__).parent
torch.manual_seed(20)


def group_loss(cur, old, ref, adv, mask, eps, beta):
    """cur, old, ref, adv, mask: lists of rows; response mean, then batch mean."""
    total = 0.0
    for c, o, r, a, m in zip(cur, old, ref, adv, mask):
        ratio = (c - o).exp()
        policy = torch.minimum(ratio * a, ratio.clamp(1 - eps, 1 + eps) * a)
        k3 = (r - c).exp() - (r - c) - 1
        total = total + ((-policy + beta * k3) * m).sum() / m.sum()
    return total / len(cur)


def dpo_loss(chosen, rejected, ref_chosen, ref_rejected, beta):
    return -logsigmoid(beta * ((chosen - ref_chosen) - (rejected - ref_rejected))).mean()


def losses():
    cases = []
    for name, eps, beta, spread in [("near", 0.2, 0.04, 0.05), ("clipping", 0.2, 0.04, 0.6), ("no_kl", 0.1, 0.0, 0.3), ("far_reference", 0.2, 1.0, 0.1)]:
        lengths = [3, 7, 1, 5]
        rows = lambda scale, shift=0.0: [torch.randn(n, dtype=torch.float64) * scale + shift for n in lengths]
        old = rows(0.8, -1.5)
        cur = [(o + torch.randn_like(o) * spread).requires_grad_() for o in old]
        ref = [o + torch.randn_like(o) * (2.0 if name == "far_reference" else 0.3) for o in old]
        adv = rows(1.0)
        mask = [torch.ones(n, dtype=torch.float64) for n in lengths]
        mask[1][2] = mask[1][5] = 0  # observations inside a rollout
        loss = group_loss(cur, old, ref, adv, mask, eps, beta)
        loss.backward()
        cases.append({"name": name, "epsilon": eps, "kl_coefficient": beta, **{k: [x.tolist() for x in v] for k, v in {"current": [c.detach() for c in cur], "old": old, "reference": ref, "advantages": adv, "mask": mask}.items()}, "loss": loss.item(), "gradient": [c.grad.tolist() for c in cur]})
    dpo = []
    for name, beta, scale in [("ordinary", 0.1, 5.0), ("large_margins", 0.5, 400.0)]:
        chosen, rejected, rc, rr = [torch.randn(5, dtype=torch.float64) * scale - 20 for _ in range(4)]
        chosen.requires_grad_()
        rejected.requires_grad_()
        loss = dpo_loss(chosen, rejected, rc, rr, beta)
        loss.backward()
        dpo.append({"name": name, "beta": beta, "chosen": chosen.tolist(), "rejected": rejected.tolist(), "reference": {"chosen": rc.tolist(), "rejected": rr.tolist()}, "loss": loss.item(), "chosen_gradient": chosen.grad.tolist(), "rejected_gradient": rejected.grad.tolist()})
    return {"group": cases, "dpo": dpo}


def with_adapter():
    base = AutoModelForCausalLM.from_pretrained(HERE.parent / "checkpoints/base_f32", dtype=torch.float32, attn_implementation="eager")
    names = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    model = get_peft_model(base, LoraConfig(r=8, lora_alpha=16, lora_dropout=0.0, target_modules=names, task_type="CAUSAL_LM")).eval()
    stored = load_file(HERE.parent / "datc/models.safetensors")
    parameters = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            ours = name.removeprefix("base_model.model.").replace(".default.weight", "")
            parameter.data.copy_(stored["actor." + ours])
            parameters[ours] = parameter
    return model, parameters


def response_logprobs(model, prompt, response):
    ids = torch.tensor([prompt + response])
    logits = model(ids).logits[0, len(prompt) - 1 : -1]
    return logits.log_softmax(-1).gather(1, torch.tensor(response)[:, None])[:, 0]


def steps():
    model, parameters = with_adapter()
    datc = json.loads((HERE.parent / "datc/datc.json").read_text())
    prompt = datc["prompt_ids"]
    rows, terms = [], ([], [], [], [], [])
    for k, response in enumerate(datc["responses"]):
        ids = response["response_ids"]
        mask = torch.ones(len(ids))
        if k == 0:
            mask[3:6] = 0  # tokens of an observation
        with torch.no_grad():
            current = response_logprobs(model, prompt, ids)
            with model.disable_adapter():
                reference = response_logprobs(model, prompt, ids)
        old = current + torch.randn(len(ids)) * 0.15
        advantages = torch.tensor(response["variants"]["full_lambda4"]["token_advantages"], dtype=torch.float32)
        rows.append({"response_ids": ids, "mask": mask.tolist(), "old": old.tolist(), "reference": reference.tolist(), "advantages": advantages.tolist()})
        for place, value in zip(terms, (response_logprobs(model, prompt, ids), old, reference, advantages, mask)):
            place.append(value)
    eps, beta = 0.2, 0.5
    loss = group_loss(*terms, eps, beta)
    loss.backward()
    group = {"prompt_ids": prompt, "epsilon": eps, "kl_coefficient": beta, "rows": rows, "loss": loss.item()}
    save_file({n: p.grad.clone() for n, p in parameters.items()}, HERE / "group_gradient.safetensors")

    model.zero_grad()
    pairs = json.loads((HERE.parent / "reward/bt_pairs.json").read_text())["pairs"]
    sums, references = {"chosen": [], "rejected": []}, {"chosen": [], "rejected": []}
    for pair in pairs:
        for side in sums:
            row = pair[side]
            at, length = row["prompt_tokens"], row["response_tokens"]
            prompt_ids, ids = row["input_ids"][:at], row["input_ids"][at : at + length]
            sums[side].append(response_logprobs(model, prompt_ids, ids).sum())
            with torch.no_grad(), model.disable_adapter():
                references[side].append(response_logprobs(model, prompt_ids, ids).sum())
    beta = 0.1
    stacked = [torch.stack(x) for x in (sums["chosen"], sums["rejected"], references["chosen"], references["rejected"])]
    loss = dpo_loss(*stacked, beta)
    loss.backward()
    dpo = {"beta": beta, "loss": loss.item(), **{n: x.detach().tolist() for n, x in zip(("chosen", "rejected", "reference_chosen", "reference_rejected"), stacked)}}
    save_file({n: p.grad.clone() for n, p in parameters.items()}, HERE / "dpo_gradient.safetensors")
    return {"group": group, "dpo": dpo}


(HERE / "losses.json").write_text(json.dumps(losses(), indent=1) + "\n")
(HERE / "steps.json").write_text(json.dumps(steps()) + "\n")
