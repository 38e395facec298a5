/** settings.yaml of an export: what its scripts read. The same facts for both engines, and what one of them needs besides. */
import { stringify } from 'yaml'
import type { Engine, PlannedStage, TrainingPlan } from './training-plan.ts'

export interface TokenIds {
  readonly eos: number
  readonly pad: number
}

/** TRL's RLOO compares responses of one prompt; a study that samples one a prompt is given this many. */
const groupForPpo = 4

export function settingsYaml(
  engine: Engine,
  plan: TrainingPlan,
  tokens: TokenIds,
  targetModules: readonly string[],
): string {
  const stages = plan.stages
    .filter(({ kind }) => engine === 'trl' || kind === 'sft' || kind === 'rl')
    .map((stage) => [stage.kind, stageSettings(engine, stage)] as const)
  return stringify({
    exported: { from: plan.kind, id: plan.id, name: plan.name, recompense: plan.codeVersion },
    seed: plan.seed,
    base: { folder: plan.base.folder },
    tokens,
    lora: { ...plan.lora, target_modules: targetModules },
    limits: plan.limits,
    stages: Object.fromEntries(stages),
  })
}

/** PPO's names become those that every reinforcement-learning stage of the scripts uses. */
function stageSettings(engine: Engine, { kind, method, settings }: PlannedStage): Readonly<Record<string, unknown>> {
  if (kind !== 'rl') return settings
  const { ppo_actor_lr, ppo_critic_lr, ppo_epochs_per_rollout, ...rest } = settings
  const ppo = method === 'ppo'
  return {
    method,
    trainer:
      engine === 'trl'
        ? ppo || method === 'rloo'
          ? 'rloo'
          : 'grpo'
        : ppo
          ? 'gae'
          : method === 'rloo'
            ? 'rloo'
            : 'grpo',
    ...rest,
    ...(ppo
      ? {
          learning_rate: ppo_actor_lr,
          critic_learning_rate: ppo_critic_lr,
          epochs_per_rollout: ppo_epochs_per_rollout,
          group_size: engine === 'trl' ? groupForPpo : 1,
        }
      : {}),
  }
}
