"""Makes trl/completions: two steps of a real GRPO run of TRL on the embedded model, with log_completions, and what TRL
was told and did. The second reward function abstains now and then, as TRL allows.

Run from the checkout's root: python test/golden/importers/make_trl.py    (trl 1.13, torch 2.13 cpu, pyarrow 25)
"""
import shutil
import tempfile
from pathlib import Path

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

ROOT = Path(__file__).parents[3]
OUT = Path(__file__).parent / "trl" / "completions"


def length_reward(completions, **_):
    return [0.1 * len(c[0]["content"].split()) for c in completions]


def politeness(completions, **_):
    return [None if k % 3 == 2 else float("please" in c[0]["content"].lower()) for k, c in enumerate(completions)]


def silent(completions, **_):
    """Abstains alone on every seventh rollout; with politeness it leaves some rollouts without any grade."""
    return [None if k % 7 == 5 else 0.0 for k, _ in enumerate(completions)]


def main():
    questions = ["How do I join the office Wi-Fi?", "The printer shows no paper, what now?"]
    data = Dataset.from_list([{"prompt": [{"role": "user", "content": q}]} for q in questions])
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            max_steps=2,
            per_device_train_batch_size=8,
            num_generations=4,
            max_completion_length=24,
            log_completions=True,
            logging_steps=1,
            report_to=[],
            save_strategy="no",
            seed=7,
            use_cpu=True,
            bf16=False,
        )
        for reward_funcs, name in (([length_reward, politeness], "two"), ([silent], "abstained")):
            trainer = GRPOTrainer(str(ROOT / "resources/models/embedded"), reward_funcs, args=config, train_dataset=data)
            trainer.train()
            target = OUT / name
            target.mkdir(parents=True, exist_ok=True)
            for file in sorted((Path(folder) / "completions").glob("*.parquet")):
                shutil.move(file, target / file.name)


main()
