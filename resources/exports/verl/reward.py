"""The frozen reward model as verl's custom reward function: the exported adapter on the base, on the CPU by default.

verl gives a reward function texts, not token ids. The response is tokenised again and its EOS put back; a response that
fills the limit counts as cut and is given the penalty. Set RECOMPENSE_REWARD_DEVICE to score on a device of its own.
"""

import functools
import os
from pathlib import Path

import torch
import yaml

HERE = Path(__file__).resolve().parent
SETTINGS = yaml.safe_load((HERE / "settings.yaml").read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=1)
def parts():
    from peft import PeftModel
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    base = (HERE / "models" / "base.txt").read_text(encoding="utf-8")
    model = AutoModelForSequenceClassification.from_pretrained(base, num_labels=1, dtype=torch.float32)
    model.config.pad_token_id = SETTINGS["tokens"]["pad"]
    model.score = torch.nn.Linear(model.config.hidden_size, 1, bias=True)
    model = PeftModel.from_pretrained(model, HERE / "adapters" / "reward").eval()
    return AutoTokenizer.from_pretrained(base), model.to(os.environ.get("RECOMPENSE_REWARD_DEVICE", "cpu"))


@torch.no_grad()
def score(ids):
    """The head's value at the last token."""
    whole = parts()[1].get_base_model()
    device = next(whole.parameters()).device
    hidden = whole.model(input_ids=torch.tensor([ids], device=device)).last_hidden_state
    return float(whole.score(hidden[:, -1]))


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    tokenizer, _ = parts()
    limit = SETTINGS["limits"]["max_new_tokens"]
    response = tokenizer(solution_str, add_special_tokens=False)["input_ids"]
    cut = len(response) >= limit
    ids = [int(x) for x in extra_info["prompt_ids"]] + response[:limit]
    if cut:
        return score(ids) + SETTINGS["stages"]["rl"]["truncation_penalty"]
    return score([*ids, SETTINGS["tokens"]["eos"]])
