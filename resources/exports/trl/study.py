"""Trains what settings.yaml describes with TRL, on the rows in data/, from the base checkpoint and the adapters here.

    python study.py all --base DIR            every stage, one after the other
    python study.py sft|reward|dpo|rl|generate --base DIR
    accelerate launch study.py rl --base DIR  the same on several devices

Each stage writes a PEFT folder under --out and takes the folders of earlier stages from there; where a stage has not
been run here, the adapter in adapters/ takes its place. With a local base nothing is fetched from a network.
"""

import argparse
import json
import math
import os
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
SETTINGS = yaml.safe_load((HERE / "settings.yaml").read_text(encoding="utf-8"))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=["all", *SETTINGS["stages"], "generate"])
    parser.add_argument("--base", default=SETTINGS["base"]["folder"], help="base checkpoint folder (default: %(default)s)")
    parser.add_argument("--out", default=str(HERE / "runs"), help="where adapters and logs are written")
    parser.add_argument("--max-steps", type=int, default=-1, help="stop each stage after so many updates")
    parser.add_argument("--cpu", action="store_true", help="train on the CPU")
    return parser.parse_args()


ARGS = arguments()
if not ARGS.base:
    raise SystemExit("name the base checkpoint with --base DIR")
if Path(ARGS.base).is_dir():
    os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from datasets import Dataset  # noqa: E402
from peft import LoraConfig, PeftModel, get_peft_model  # noqa: E402
from torch.optim.lr_scheduler import LambdaLR  # noqa: E402
from transformers import (  # noqa: E402
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    set_seed,
)

OUT = Path(ARGS.out)
WORLD, RANK = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
TOKENIZER = AutoTokenizer.from_pretrained(ARGS.base)
PAD, EOS = SETTINGS["tokens"]["pad"], SETTINGS["tokens"]["eos"]


def rows(name):
    """Rows of data/NAME.jsonl, or none where the study has no such file."""
    path = HERE / "data" / f"{name}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


# ---- models ----------------------------------------------------------------------------------------------------------


def lora(task):
    shape = SETTINGS["lora"]
    return LoraConfig(
        r=shape["rank"],
        lora_alpha=shape["alpha"],
        lora_dropout=0.0,
        bias="none",
        target_modules=shape["target_modules"],
        task_type=task,
        modules_to_save=["score"] if task == "SEQ_CLS" else None,
    )


def adapter(role, required=True):
    """The adapter of a role: what was trained here, else what came with the export."""
    for folder in (OUT / role, HERE / "adapters" / role):
        if (folder / "adapter_config.json").exists():
            return folder
    if required:
        raise SystemExit(f"there is no adapter for {role}: train that stage first, or put one into adapters/{role}")
    return None


def policy(start=None):
    """A causal model with a LoRA adapter to train: a fresh one, or a copy of `start`."""
    model = AutoModelForCausalLM.from_pretrained(ARGS.base, dtype=torch.float32)
    if start is None:
        return get_peft_model(model, lora("CAUSAL_LM"))
    return PeftModel.from_pretrained(model, start, is_trainable=True)


def scorer(start=None):
    """A scalar head over the base: with a bias, as the study's own, which the library's head leaves out."""
    model = AutoModelForSequenceClassification.from_pretrained(ARGS.base, num_labels=1, dtype=torch.float32)
    model.config.pad_token_id = PAD
    model.score = torch.nn.Linear(model.config.hidden_size, 1, bias=True)
    torch.nn.init.normal_(model.score.weight, std=0.02)
    torch.nn.init.zeros_(model.score.bias)
    if start is None:
        return get_peft_model(model, lora("SEQ_CLS"))
    return PeftModel.from_pretrained(model, start)


class PredictedPreference:
    """The frozen reward model as a reward function; rollouts cut before their EOS are given the penalty as well."""

    __name__ = "predicted_preference"

    def __init__(self, penalty):
        self.penalty = penalty
        self.calls, self.seen = 0, {}
        OUT.mkdir(parents=True, exist_ok=True)
        (OUT / f"rollouts-{RANK}.jsonl").unlink(missing_ok=True)
        self.model = scorer(adapter("reward")).eval()
        self.model.to("cpu" if ARGS.cpu or not torch.cuda.is_available() else f"cuda:{os.environ.get('LOCAL_RANK', '0')}")

    @torch.no_grad()
    def score(self, ids):
        """The head's value at the last token, whatever id that is."""
        whole = self.model.get_base_model()
        device = next(whole.parameters()).device
        hidden = whole.model(input_ids=torch.tensor([ids], device=device)).last_hidden_state
        return float(whole.score(hidden[:, -1]))

    def __call__(self, prompts, completions, completion_ids, id, **_):
        scores = []
        for name, prompt, ids in zip(id, prompts, completion_ids):
            asked, ids = prompt_ids(prompt), list(ids)
            ended = bool(ids) and ids[-1] == EOS
            scores.append(self.score(asked + ids) + (0.0 if ended else self.penalty))
            self.record(name, asked, ids, scores[-1], ended)
        self.calls += 1
        return scores

    def record(self, name, asked, ids, reward, ended):
        """A rollout as a trajectory row, which `recompense credit` reads as it stands."""
        group = f"batch-{self.calls}/process-{RANK}/{name}"
        self.seen[group] = self.seen.get(group, 0) + 1
        row = {
            "id": f"{group}/{self.seen[group]}",
            "group": group,
            "iteration": self.calls,
            "reward": reward,
            "terminated": ended,
            "truncated": not ended,
            "turns": [
                {"role": "user", "token_ids": asked},
                {"role": "assistant", "token_ids": ids, "text": TOKENIZER.decode(ids)},
            ],
        }
        with (OUT / f"rollouts-{RANK}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def prompt_ids(prompt):
    if isinstance(prompt, str):
        return TOKENIZER(prompt, add_special_tokens=False)["input_ids"]
    text = TOKENIZER.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
    return TOKENIZER(text, add_special_tokens=False)["input_ids"]


# ---- what the stages share -------------------------------------------------------------------------------------------


def updates_of(examples, per_update, epochs):
    total = math.ceil(examples / per_update) * epochs
    return total if ARGS.max_steps < 0 else min(total, ARGS.max_steps)


def optimizers(model, settings, total):
    """AdamW and the study's schedule: linear warm-up, then linear decay to a share of the peak."""
    optimizer = torch.optim.AdamW(
        [p for p in model.parameters() if p.requires_grad],
        lr=settings["learning_rate"],
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=settings["weight_decay"],
    )
    warm = max(1, int(total * settings["warmup_ratio"]))
    least = settings["minimum_lr_ratio"]

    def factor(step):
        if step < warm:
            return (step + 1) / warm
        return 1 - min(1, (step - warm) / max(1, total - warm - 1)) * (1 - least)

    return optimizer, LambdaLR(optimizer, factor)


def common(role, settings, total, per_device, accumulation):
    """Arguments of every trainer; accumulation is shared out over the devices."""
    if accumulation % WORLD:
        raise SystemExit(f"{accumulation} accumulated batches cannot be shared by {WORLD} processes")
    return dict(
        output_dir=str(OUT / "logs" / role),
        per_device_train_batch_size=per_device,
        gradient_accumulation_steps=accumulation // WORLD,
        max_steps=total,
        max_grad_norm=settings["gradient_clip"],
        seed=SETTINGS["seed"],
        data_seed=SETTINGS["seed"],
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        bf16=False,
        use_cpu=ARGS.cpu,
        gradient_checkpointing=False,
    )


def finish(trainer, role):
    trainer.train()
    trainer.save_model(str(OUT / role))
    (OUT / f"{role}-log.json").write_text(json.dumps(trainer.state.log_history, indent=1), encoding="utf-8")
    print(f"{role}: {trainer.state.global_step} updates, adapter in {OUT / role}")


# ---- stages ----------------------------------------------------------------------------------------------------------


def sft():
    from trl import SFTConfig, SFTTrainer

    settings = SETTINGS["stages"]["sft"]
    as_ids = lambda row: {  # noqa: E731
        "input_ids": row["prompt_ids"] + row["completion_ids"],
        "completion_mask": [0] * len(row["prompt_ids"]) + [1] * len(row["completion_ids"]),
    }
    train = [as_ids(row) for row in rows("sft_train")]
    total = updates_of(len(train), settings["accumulation_examples"], settings["epochs"])
    model = policy(adapter("initial", required=False))
    config = SFTConfig(
        **common("policy", settings, total, 1, settings["accumulation_examples"]),
        max_length=None,
        packing=False,
        completion_only_loss=True,
    )
    finish(
        SFTTrainer(
            model=model,
            args=config,
            train_dataset=Dataset.from_list(train),
            processing_class=TOKENIZER,
            optimizers=optimizers(model, settings, total),
        ),
        "policy",
    )


def pairs(name):
    return [
        {"chosen_ids": row["prompt_ids"] + row["chosen_ids"], "rejected_ids": row["prompt_ids"] + row["rejected_ids"]}
        for row in rows(name)
    ]


def reward():
    from trl import RewardConfig, RewardTrainer

    settings = SETTINGS["stages"]["reward"]
    train = pairs("reward_train")
    total = updates_of(len(train), settings["accumulation_examples"], settings["epochs"])
    model = scorer()
    config = RewardConfig(**common("reward", settings, total, 1, settings["accumulation_examples"]), max_length=None)
    finish(
        RewardTrainer(
            model=model,
            args=config,
            train_dataset=Dataset.from_list(train),
            processing_class=TOKENIZER,
            optimizers=optimizers(model, settings, total),
        ),
        "reward",
    )


def dpo():
    from trl import DPOConfig, DPOTrainer

    settings = SETTINGS["stages"]["dpo"]
    data = rows("dpo_train")
    texts = [{name: TOKENIZER.decode(row[f"{name}_ids"]) for name in ("prompt", "chosen", "rejected")} for row in data]
    total = updates_of(len(data), settings["accumulation_examples"], settings["epochs"])
    model = policy(adapter("initial", required=False))
    config = DPOConfig(
        **common("policy", settings, total, 1, settings["accumulation_examples"]),
        beta=settings["beta"],
        loss_type=["sigmoid"],
        max_length=None,
        precompute_ref_log_probs=False,
    )
    trainer = DPOTrainer(
        model=model,
        args=config,
        train_dataset=Dataset.from_list(texts),
        processing_class=TOKENIZER,
        optimizers=optimizers(model, settings, total),
    )
    for row, there in zip(data, trainer.train_dataset):
        if any(there[f"{name}_ids"] != row[f"{name}_ids"] for name in ("prompt", "chosen", "rejected")):
            raise SystemExit(f"pair {row['id']} is tokenised differently here than in the study")
    finish(trainer, "policy")


def rl():
    settings = SETTINGS["stages"]["rl"]
    prompts = rows("prompts")
    for row in prompts:
        if prompt_ids(row["prompt"]) != row["prompt_ids"]:
            raise SystemExit(f"prompt {row['id']} is tokenised differently here than in the study")
    group, epochs = settings["group_size"], settings["epochs_per_rollout"]
    total = settings["rollout_iterations"] * epochs
    total = total if ARGS.max_steps < 0 else min(total, ARGS.max_steps)
    model = policy(adapter("policy"))
    shared = dict(
        **common("actor", settings, total, group, settings["prompts_per_rollout"]),
        num_generations=group,
        num_iterations=epochs,
        max_completion_length=settings["max_new_tokens"],
        temperature=settings["temperature"],
        top_p=1.0,
        top_k=0,
        beta=settings["kl_coefficient"],
        epsilon=settings["clip_epsilon"],
        mask_truncated_completions=False,
        log_completions=True,
        num_completions_to_print=0,
    )
    if settings["trainer"] == "grpo":
        from trl import GRPOConfig, GRPOTrainer

        trainer_class = GRPOTrainer
        config = GRPOConfig(**shared, loss_type="grpo", scale_rewards="group")
    else:
        from trl import RLOOConfig, RLOOTrainer

        trainer_class = RLOOTrainer
        config = RLOOConfig(**shared, normalize_advantages=False)
    finish(
        trainer_class(
            model=model,
            args=config,
            reward_funcs=[PredictedPreference(settings["truncation_penalty"])],
            train_dataset=Dataset.from_list([{"prompt": row["prompt"], "id": row["id"]} for row in prompts]),
            processing_class=TOKENIZER,
            optimizers=optimizers(model, settings, total),
        ),
        "actor",
    )


@torch.no_grad()
def generate():
    """Greedy responses to the held-out prompts, as rows that `recompense reward` scores."""
    held_out = rows("heldout_prompts")
    if not held_out:
        print("generate: the study holds no held-out prompts")
        return
    start = adapter("actor", required=False) or adapter("policy", required=False)
    model = policy(start).eval().to("cpu" if ARGS.cpu or not torch.cuda.is_available() else "cuda")
    limit = SETTINGS["limits"]["max_new_tokens"] if ARGS.max_steps < 0 else min(SETTINGS["limits"]["max_new_tokens"], 8)
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "generations.jsonl").open("w", encoding="utf-8") as file:
        for row in held_out:
            ids = torch.tensor([row["prompt_ids"]], device=model.device)
            made = model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                max_new_tokens=limit,
                eos_token_id=EOS,
                pad_token_id=PAD,
            )
            completion = made[0, ids.shape[1] :].tolist()
            file.write(json.dumps({"id": row["id"], "prompt": row["prompt"], "completion_ids": completion}) + "\n")
    print(f"generate: {len(held_out)} responses in {OUT / 'generations.jsonl'}")


def main():
    stages = {"sft": sft, "reward": reward, "dpo": dpo, "rl": rl, "generate": generate}
    chosen = [*SETTINGS["stages"], "generate"] if ARGS.stage == "all" else [ARGS.stage]
    for name in chosen:
        set_seed(SETTINGS["seed"])
        stages[name]()


main()
