"""PyTorch's side of `recompense bench --against bench/torch_worker.py`: transformers for the model, PEFT for the adapters.

One JSON object a line on stdin, one answer a line on stdout. Every answer holds the seconds of the work alone, by the
clock and of processor time. The model and the adapters are the very files that the other side computes with, in float32 on the CPU, in eager mode.

  open    model, policy (folders), threads                    loads; answers the versions
  reset                                                       adapters and optimizers as they were loaded
  sft     rows, response, micro, keep                         cross-entropy on the last `response` tokens, clip, AdamW
  reward  chosen, rejected, micro                             Bradley-Terry on the last token's score, clip, AdamW
  decode  prompts, new_tokens, adapter                        greedy generate, all prompts as one batch
  ppo     prompts, new_tokens, micro, epochs                  one iteration, seconds by part
  read, score   rows, response, micro                         forward passes only
  memory                                                      peak resident set of this process

`micro` is the number of rows of one forward pass: 1 is how the reference study works, with gradients accumulated;
the number of all rows is one batch. `keep` computes logits at response positions only. All rows of a request have
one length, so that no padding is needed, and no end-of-text id stops a generation: the work is fixed.
"""
import json
import os
import resource
import sys
import time
import warnings

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever a library prints must not become an answer
warnings.filterwarnings("ignore")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ["HF_HUB_OFFLINE"] = "1"

import peft
import torch
import transformers
from peft import PeftModel
from torch.nn.functional import logsigmoid
from transformers import AutoModelForCausalLM

CLIP, EPSILON, KL, LAMBDA, TRUNCATION = 1.0, 0.2, 0.02, 0.95, -1.0


class Worker:
    def open(self, model, policy, threads):
        torch.set_num_threads(threads)
        torch.manual_seed(0)
        self.folders = model, policy
        self.actor = PeftModel.from_pretrained(self.base_model(), policy, is_trainable=True).eval()
        self.bare = None
        hidden = self.actor.config.hidden_size
        self.head = torch.nn.Linear(hidden, 1)
        torch.nn.init.normal_(self.head.weight, 0, 0.02)
        self.lora = [p for p in self.actor.parameters() if p.requires_grad]
        self.with_head = self.lora + list(self.head.parameters())
        self.loaded = [p.detach().clone() for p in self.with_head]
        self.reset()
        return {
            "name": f"PyTorch {torch.__version__} eager, transformers {transformers.__version__}, PEFT {peft.__version__}"
        }

    def base_model(self):
        return AutoModelForCausalLM.from_pretrained(self.folders[0], dtype=torch.float32).eval()

    def reset(self):
        with torch.no_grad():
            for parameter, value in zip(self.with_head, self.loaded):
                parameter.copy_(value)
        new = lambda parameters, rate: torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
        self.sft_optimizer = new(self.lora, 2e-5)
        self.reward_optimizer = new(self.with_head, 2e-5)
        self.actor_optimizer = new(self.lora, 5e-6)
        self.critic_optimizer = new(self.with_head, 1e-5)
        return {}

    # ---- readings of rows [B, T] -----------------------------------------------------------------------------------

    def log_probs(self, ids, response, keep=False):
        extra = {"logits_to_keep": response + 1} if keep else {}
        logits = self.actor(input_ids=ids, use_cache=False, **extra).logits[:, -response - 1 : -1].float()
        return torch.log_softmax(logits, -1).gather(-1, ids[:, -response:, None]).squeeze(-1)

    def hidden(self, ids):
        return self.actor.base_model.model.model(input_ids=ids, use_cache=False).last_hidden_state.float()

    def scores(self, ids):
        return self.head(self.hidden(ids)[:, -1]).squeeze(-1)

    def values(self, ids, response):
        return self.head(self.hidden(ids)).squeeze(-1)[:, -response - 1 : -1]

    # ---- training steps --------------------------------------------------------------------------------------------

    def sft(self, rows, response, micro, keep=False):
        ids = torch.tensor(rows)
        self.sft_optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for part in ids.split(micro):
            loss = -self.log_probs(part, response, keep).sum() / (len(ids) * response)
            loss.backward()
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(self.lora, CLIP)
        self.sft_optimizer.step()
        return {"loss": total}

    def reward(self, chosen, rejected, micro):
        self.reward_optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for c, r in zip(torch.tensor(chosen).split(micro), torch.tensor(rejected).split(micro)):
            scores = self.scores(torch.cat([c, r])) if micro > 1 else torch.cat([self.scores(c), self.scores(r)])
            loss = -logsigmoid(scores[: len(c)] - scores[len(c) :]).sum() / len(chosen)
            loss.backward()
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(self.with_head, CLIP)
        self.reward_optimizer.step()
        return {"loss": total}

    # ---- generation ------------------------------------------------------------------------------------------------

    @torch.no_grad()
    def generate(self, model, ids, new_tokens, **sampling):
        model.generation_config.eos_token_id = None
        return model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=new_tokens,
            pad_token_id=0,
            use_cache=True,
            **sampling,
        )

    def decode(self, prompts, new_tokens, adapter):
        if not adapter and self.bare is None:
            self.bare = self.base_model()
        ids = torch.tensor(prompts)
        out = self.generate(self.actor if adapter else self.bare, ids, new_tokens, do_sample=False)
        return {"tokens": out[:, ids.shape[1] :].tolist()}

    # ---- PPO -------------------------------------------------------------------------------------------------------

    def ppo(self, prompts, new_tokens, micro, epochs):
        parts = {}
        ids = torch.tensor(prompts)

        def timed(part, work):
            start = time.perf_counter()
            result = work()
            parts[part] = parts.get(part, 0.0) + time.perf_counter() - start
            return result

        sample = dict(do_sample=True, temperature=1.0, top_k=0, top_p=1.0)
        rows = timed("generation", lambda: [self.generate(self.actor, p, new_tokens, **sample) for p in ids.split(micro)])
        with torch.no_grad():
            old = timed("behaviour", lambda: [self.log_probs(r, new_tokens) for r in rows])
            reference = timed("reference", lambda: [self.log_probs(r, new_tokens) for r in rows])
            scores = timed("judge", lambda: [self.scores(r) for r in rows])
            values = timed("critic", lambda: [self.values(r, new_tokens) for r in rows])
        targets = timed("targets", lambda: [self.targets(*x) for x in zip(old, reference, values, scores)])
        per_row = 1.0 / (len(prompts) * new_tokens)

        def actor_epoch():
            self.actor_optimizer.zero_grad(set_to_none=True)
            for r, o, (advantage, _) in zip(rows, old, targets):
                ratio = (self.log_probs(r, new_tokens) - o).exp()
                surrogate = torch.minimum(ratio * advantage, ratio.clamp(1 - EPSILON, 1 + EPSILON) * advantage)
                (-surrogate.sum() * per_row).backward()
            torch.nn.utils.clip_grad_norm_(self.lora, CLIP)
            self.actor_optimizer.step()

        def critic_epoch():
            self.critic_optimizer.zero_grad(set_to_none=True)
            for r, (_, returns) in zip(rows, targets):
                (0.5 * ((self.values(r, new_tokens) - returns) ** 2).sum() * per_row).backward()
            torch.nn.utils.clip_grad_norm_(self.with_head, CLIP)
            self.critic_optimizer.step()

        for _ in range(epochs):
            timed("actor_optimization", actor_epoch)
            timed("critic_optimization", critic_epoch)
        return {"parts": parts}

    @staticmethod
    def targets(old, reference, values, scores):
        """Advantages (GAE, gamma 1) and returns of [B, T] rows."""
        rewards = -KL * (old - reference)
        rewards[:, -1] += scores + TRUNCATION
        advantages = torch.zeros_like(rewards)
        running, following = torch.zeros(len(rewards)), torch.zeros(len(rewards))
        for t in reversed(range(rewards.shape[1])):
            running = rewards[:, t] + following - values[:, t] + LAMBDA * running
            advantages[:, t] = running
            following = values[:, t]
        return advantages, advantages + values

    # ---- readings --------------------------------------------------------------------------------------------------

    @torch.no_grad()
    def read(self, rows, response, micro):
        for part in torch.tensor(rows).split(micro):
            self.log_probs(part, response)
        return {}

    @torch.no_grad()
    def score(self, rows, response, micro):
        for part in torch.tensor(rows).split(micro):
            self.scores(part)
        return {}

    def memory(self):
        # Linux counts the peak of the starting process into getrusage's figure; its status file does not.
        if os.path.exists("/proc/self/status"):
            with open("/proc/self/status") as status:
                peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        else:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {"peak_rss_bytes": peak * 1024}


worker = Worker()
for line in sys.stdin:
    request = json.loads(line)
    operation = request.pop("op")
    try:
        start, used = time.perf_counter(), time.process_time()
        answer = getattr(worker, operation)(**request)
        answer = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - used, **answer}
    except Exception as error:  # answered, not raised: the other side names the fault
        answer = {"error": f"{operation}: {type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
