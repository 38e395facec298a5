"""Makes what verl reads out of this export: rows as parquet, and the base with adapters merged in as plain checkpoints.

    python prepare.py --base DIR

verl begins reinforcement learning from a whole checkpoint with fresh LoRA factors on it; the study began from a trained
adapter on the base. Merged, that is the same policy.
"""

import argparse
import json
import os
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
SETTINGS = yaml.safe_load((HERE / "settings.yaml").read_text(encoding="utf-8"))


def rows(name):
    path = HERE / "data" / f"{name}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def messages(prompt):
    if isinstance(prompt, list):
        return prompt
    raise SystemExit("a prompt is raw text or ids, which verl's chat data cannot hold; export it for trl")


def as_rollout_prompt(row):
    return {
        "data_source": "recompense",
        "prompt": messages(row.get("prompt")),
        "reward_model": {"style": "model", "ground_truth": ""},
        "extra_info": {"id": row["id"], "prompt_ids": row["prompt_ids"]},
    }


def as_conversation(row):
    return {"messages": [*messages(row.get("prompt")), {"role": "assistant", "content": row["completion"]}]}


def write_parquet(made, name):
    from datasets import Dataset

    if made:
        target = HERE / "parquet" / f"{name}.parquet"
        target.parent.mkdir(exist_ok=True)
        Dataset.from_list(made).to_parquet(str(target))
        print(f"{target}: {len(made)} rows")


def merge(base, role):
    """The base with the role's adapter in its weights; without one, the base itself."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(base, dtype="float32")
    adapter = HERE / "adapters" / role
    if (adapter / "adapter_config.json").exists():
        model = PeftModel.from_pretrained(model, adapter).merge_and_unload()
    target = HERE / "models" / role
    model.save_pretrained(target)
    AutoTokenizer.from_pretrained(base).save_pretrained(target)
    print(f"{target}: merged")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default=SETTINGS["base"]["folder"], help="base checkpoint folder (default: %(default)s)")
    base = parser.parse_args().base
    if Path(base).is_dir():
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    write_parquet([as_conversation(row) for row in rows("sft_train")], "sft_train")
    write_parquet([as_conversation(row) for row in rows("sft_validation")], "sft_validation")
    prompts = [as_rollout_prompt(row) for row in rows("prompts")]
    write_parquet(prompts, "prompts")
    write_parquet([as_rollout_prompt(row) for row in rows("heldout_prompts")] or prompts[:8], "heldout_prompts")
    if "rl" in SETTINGS["stages"]:
        merge(base, "policy")
    (HERE / "models").mkdir(exist_ok=True)
    (HERE / "models" / "base.txt").write_text(str(Path(base).resolve()), encoding="utf-8")


main()
