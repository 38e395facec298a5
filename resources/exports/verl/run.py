"""Starts verl on a stage of settings.yaml, with the overrides that settings.yaml translates to.

    python run.py sft|rl [--devices N] [--nodes N] [--rollout vllm|sglang] [--dry-run] [key=value ...]

Written for the configuration keys of verl 0.6 and 0.7. Further key=value pairs go to verl as they stand.
"""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
SETTINGS = yaml.safe_load((HERE / "settings.yaml").read_text(encoding="utf-8"))


def data(name):
    return str(HERE / "parquet" / f"{name}.parquet")


def trainer(args, stage):
    return {
        "trainer.project_name": "recompense",
        "trainer.experiment_name": f"{SETTINGS['exported']['id']}-{stage}",
        "trainer.default_local_dir": str(HERE / "runs" / stage),
        "trainer.logger": "[console]",
        "trainer.n_gpus_per_node": args.devices,
        "trainer.nnodes": args.nodes,
    }


def sft(args):
    """Supervised fine-tuning. The template's line break after the last EOS is a response token there."""
    settings = SETTINGS["stages"]["sft"]
    base = (HERE / "models" / "base.txt").read_text(encoding="utf-8")
    overrides = {
        "data.train_files": data("sft_train"),
        "data.val_files": data("sft_validation") if Path(data("sft_validation")).exists() else "null",
        "data.messages_key": "messages",
        "data.train_batch_size": settings["accumulation_examples"],
        "data.micro_batch_size_per_gpu": 1,
        "data.max_length": SETTINGS["limits"]["max_context_tokens"] + 8,
        "model.path": base,
        "model.lora_rank": SETTINGS["lora"]["rank"],
        "model.lora_alpha": SETTINGS["lora"]["alpha"],
        "optim.lr": settings["learning_rate"],
        "optim.weight_decay": settings["weight_decay"],
        "optim.clip_grad": settings["gradient_clip"],
        "optim.lr_warmup_steps_ratio": settings["warmup_ratio"],
        "optim.min_lr_ratio": settings["minimum_lr_ratio"],
        "optim.warmup_style": "cosine",
        "trainer.total_epochs": settings["epochs"],
        "trainer.seed": SETTINGS["seed"],
        **trainer(args, "sft"),
    }
    launch = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={args.devices}"]
    return [*launch, "-m", "verl.trainer.sft_trainer", *as_text(overrides)]


def rl(args):
    settings = SETTINGS["stages"]["rl"]
    policy = str(HERE / "models" / "policy")
    actor = "actor_rollout_ref.actor"
    kl_in_reward = settings["trainer"] == "gae"
    overrides = {
        "algorithm.adv_estimator": settings["trainer"],
        "algorithm.use_kl_in_reward": kl_in_reward,
        "data.train_files": data("prompts"),
        "data.val_files": data("heldout_prompts"),
        "data.train_batch_size": settings["prompts_per_rollout"],
        "data.max_prompt_length": SETTINGS["limits"]["max_prompt_tokens"],
        "data.max_response_length": settings["max_new_tokens"],
        "data.truncation": "error",
        "++data.seed": SETTINGS["seed"],
        "actor_rollout_ref.model.path": policy,
        "actor_rollout_ref.model.lora_rank": SETTINGS["lora"]["rank"],
        "actor_rollout_ref.model.lora_alpha": SETTINGS["lora"]["alpha"],
        "actor_rollout_ref.model.target_modules": f"[{','.join(SETTINGS['lora']['target_modules'])}]",
        f"{actor}.optim.lr": settings["learning_rate"],
        f"{actor}.optim.weight_decay": settings["weight_decay"],
        f"{actor}.optim.lr_warmup_steps_ratio": settings["warmup_ratio"],
        f"{actor}.optim.min_lr_ratio": settings["minimum_lr_ratio"],
        f"{actor}.optim.warmup_style": "cosine",
        f"{actor}.grad_clip": settings["gradient_clip"],
        f"{actor}.ppo_mini_batch_size": settings["prompts_per_rollout"],
        f"{actor}.ppo_micro_batch_size_per_gpu": 1,
        f"{actor}.ppo_epochs": settings["epochs_per_rollout"],
        f"{actor}.clip_ratio": settings["clip_epsilon"],
        f"{actor}.clip_ratio_low": settings["clip_epsilon"],
        f"{actor}.clip_ratio_high": settings["clip_epsilon"],
        f"{actor}.clip_ratio_c": 1e9,
        f"{actor}.loss_agg_mode": "seq-mean-token-mean",
        f"{actor}.entropy_coeff": 0,
        f"{actor}.use_kl_loss": not kl_in_reward,
        "actor_rollout_ref.rollout.name": args.rollout,
        "actor_rollout_ref.rollout.n": settings["group_size"],
        "actor_rollout_ref.rollout.temperature": settings["temperature"],
        "actor_rollout_ref.rollout.top_p": 1,
        "actor_rollout_ref.rollout.top_k": -1,
        "actor_rollout_ref.rollout.tensor_model_parallel_size": 1,
        "actor_rollout_ref.rollout.load_format": "safetensors",
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu": 1,
        "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": 1,
        "custom_reward_function.path": str(HERE / "reward.py"),
        "custom_reward_function.name": "compute_score",
        "trainer.total_training_steps": settings["rollout_iterations"],
        "trainer.total_epochs": settings["rollout_iterations"],
        "trainer.rollout_data_dir": str(HERE / "runs" / "rollouts"),
        "trainer.save_freq": settings["rollout_iterations"],
        "trainer.val_before_train": False,
        **trainer(args, "rl"),
    }
    if kl_in_reward:
        overrides |= {
            "algorithm.gamma": settings["gamma"],
            "algorithm.lam": settings["gae_lambda"],
            "algorithm.kl_penalty": "kl",
            "algorithm.kl_ctrl.type": "fixed",
            "algorithm.kl_ctrl.kl_coef": settings["kl_coefficient"],
            "critic.model.path": policy,
            "critic.model.lora_rank": SETTINGS["lora"]["rank"],
            "critic.model.lora_alpha": SETTINGS["lora"]["alpha"],
            "critic.optim.lr": settings["critic_learning_rate"],
            "critic.optim.weight_decay": settings["weight_decay"],
            "critic.optim.lr_warmup_steps_ratio": settings["warmup_ratio"],
            "critic.optim.min_lr_ratio": settings["minimum_lr_ratio"],
            "critic.optim.warmup_style": "cosine",
            "critic.grad_clip": settings["gradient_clip"],
            "critic.ppo_epochs": settings["epochs_per_rollout"],
            "critic.ppo_micro_batch_size_per_gpu": 1,
            "critic.cliprange_value": 1e9,
        }
    else:
        overrides |= {
            f"{actor}.kl_loss_coef": settings["kl_coefficient"],
            f"{actor}.kl_loss_type": "low_var_kl",
            "algorithm.norm_adv_by_std_in_grpo": True,
        }
    return ["-m", "verl.trainer.main_ppo", *as_text(overrides)]


def as_text(overrides):
    word = {True: "true", False: "false"}
    return [f"{key}={word[value] if isinstance(value, bool) else value}" for key, value in overrides.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=[name for name in ("sft", "rl") if name in SETTINGS["stages"]])
    parser.add_argument("--devices", type=int, default=1, help="devices a node")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--rollout", default="vllm", choices=["vllm", "sglang"], help="engine that samples")
    parser.add_argument("--dry-run", action="store_true", help="print the command and do nothing")
    args, more = parser.parse_known_args()
    if not (HERE / "models" / "base.txt").exists():
        raise SystemExit("run prepare.py first")
    command = [sys.executable, *{"sft": sft, "rl": rl}[args.stage](args), *more]
    print(shlex.join(command))
    if args.dry_run:
        return
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    sys.exit(subprocess.call(command))


main()
