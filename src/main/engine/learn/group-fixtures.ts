/** For tests only: settings of a few short iterations on the golden checkpoint, a scratch place, and what a run left there. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import type { GroupIterationLine } from '../../../shared/group-run.ts'
import { runFiles } from '../../../shared/stage.ts'
import type { GroupConfig } from '../../../shared/training-config.ts'
import { checkpoints } from '../checkpoint/checkpoint-fixtures.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { freshRole, type Role } from './role.ts'
import { openStage, type StageContext } from './stage-context.ts'
import { StageRun } from './stage-run.ts'

export const base = `${checkpoints}/base_f32`
export const openGolden = (): Promise<StageContext> =>
  openStage({ base, device: 'cpu', threads: 1, weightCache: '/nonexistent' })

export const config: GroupConfig = {
  learning_rate: 1e-3,
  prompts_per_rollout: 2,
  group_size: 4,
  rollout_iterations: 3,
  epochs_per_rollout: 2,
  clip_epsilon: 0.2,
  kl_coefficient: 0.05,
  temperature: 1,
  truncation_penalty: -1,
  max_weight: 4,
  ablation: 'none',
  gate: 'attention',
  gate_min: 0.8,
  gate_max: 1,
  gae_lambda: 0.95,
  critic_learning_rate: 1e-3,
  value_loss_coef: 0.5,
  warmup_ratio: 0.1,
  minimum_lr_ratio: 0.1,
  weight_decay: 0.01,
  gradient_clip: 1,
  seed: 49,
  lora_rank: 4,
  lora_alpha: 8,
  max_prompt_tokens: 256,
  max_new_tokens: 8,
  max_context_tokens: 320,
}

/** Roles whose low-rank branch is not 0. */
export function drawnRole({ base: golden }: StageContext, head: 'none' | 'score'): Role {
  const [seed, deviation] = head === 'none' ? [1, 0.02] : [3, 0.05]
  const role = freshRole(golden, { rank: 4, alpha: 8, head, seed })
  new TorchRandom(seed + 1).normal(role.state.data, 0, deviation)
  return role
}

export const quiet = () => new StageRun(() => {})

/** A folder that is removed after the test file, and readers of the run folders in it. */
export function scratchRuns() {
  const home = mkdtempSync(path.join(tmpdir(), 'recompense-group-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const file = (name: string) => path.join(home, name)
  const bytes = (dir: string, name: string) => readFileSync(path.join(file(dir), name))
  return {
    file,
    bytes,
    runDir: (name: string) => {
      mkdirSync(file(name), { recursive: true })
      return file(name)
    },
    journal: (dir: string) =>
      bytes(dir, runFiles.journal)
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as GroupIterationLine),
  }
}
