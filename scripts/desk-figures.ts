/**
 * What learning does at the multi-turn desk, on the embedded model: SFT on demonstrations, then GRPO and PPO, each measured
 * on families that nothing was trained on; the tree of branches; how concentrated the gradients are on turns.
 *
 *     node scripts/desk-figures.ts MODEL OUT [--seeds 49,50] [--methods grpo]   the figures of docs/credit.md
 *     node scripts/desk-figures.ts MODEL OUT --choose                           the choice of GRPO's learning rate
 *
 * `--choose` reads training and validation families alone. Without it the settings below are fixed, and the test families
 * are played once a policy. OUT gets a folder a run and `figures.json`; finished runs are read again rather than repeated.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { inducedProcessReward } from '../src/main/engine/credit/process-reward.ts'
import { trainedRow } from '../src/main/engine/credit/trained-row.ts'
import { type DeskPlay, deskBranches, deskRollouts } from '../src/main/engine/desk/play.ts'
import { type DeskSplit, type DeskTask, deskTasks } from '../src/main/engine/desk/tasks.ts'
import { runGroup } from '../src/main/engine/learn/group-stage.ts'
import { roleFromPeft } from '../src/main/engine/learn/role.ts'
import { openStage } from '../src/main/engine/learn/stage-context.ts'
import { StageRun } from '../src/main/engine/learn/stage-run.ts'
import { runSupervised } from '../src/main/engine/learn/supervised.ts'
import { writeDemonstrations, writeTasks, writeTrajectories } from '../src/main/workbench/credit/desk.ts'
import { concentrationOfFile } from '../src/main/workbench/credit/turn-concentration.ts'
import { groupConfig, supervisedConfig } from '../src/main/workbench/study-config.ts'
import { defaultDeskRules } from '../src/shared/desk-rules.ts'
import type { GroupStage } from '../src/shared/group-run.ts'
import { runFiles } from '../src/shared/stage.ts'
import { embeddedPreset } from '../src/shared/training-config.ts'

/** Demonstrations of a training task, and what SFT does with them. */
const demonstrated = { perTask: 6, seed: 49 }
const sft = { ...supervisedConfig(embeddedPreset, 'sft'), max_context_tokens: 512 }
/** 30 updates each: GRPO 64 episodes an iteration in groups of 8, PPO 32 tasks one by one, twice over. */
const shared = {
  ...groupConfig(embeddedPreset),
  rollout_iterations: 30,
  clip_epsilon: 0.2,
  truncation_penalty: 0,
  max_context_tokens: 512,
}
const grpo = { ...shared, prompts_per_rollout: 8, group_size: 8, epochs_per_rollout: 1, kl_coefficient: 0.01 }
const ppo = {
  ...shared,
  rollout_iterations: 15,
  prompts_per_rollout: 32,
  group_size: 1,
  epochs_per_rollout: 2,
  kl_coefficient: 0,
}
const critic = { learning_rate: 3e-3, gamma: 1, gae_lambda: 0.95, value_loss_coef: 0.5, kl_coefficient: 0.01 }
/** GRPO's is chosen by `--choose`: the highest mean reward of sampled episodes on the validation families. PPO takes the same. */
const rates = { grpo: 1e-3, ppo: 1e-3 }
/** A choice is made after half as many iterations. */
const choiceIterations = 15
const grid = [1e-3, 3e-3]

const { values: flags, positionals } = parseArgs({
  options: {
    choose: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '49' },
    methods: { type: 'string', default: 'grpo,ppo' },
  },
  allowPositionals: true,
})
const [model, out] = positionals
if (model === undefined || out === undefined)
  throw new Error('usage: desk-figures.ts MODEL OUT [--choose | --seeds a,b] [--methods grpo,ppo]')
const choosing = flags.choose
const seeds = flags.seeds.split(',').map(Number)
const methods = (['grpo', 'ppo'] as const).filter((method) => flags.methods.split(',').includes(method))
const rules = defaultDeskRules
const place = { base: model, device: 'cpu', threads: 2, runId: 'desk' } as const
const context = await openStage({ ...place, weightCache: path.join(out, 'cache') })
const say = (line: string) => process.stdout.write(`${line}\n`)

mkdirSync(out, { recursive: true })
const file = (name: string) => path.join(out, name)
await writeTasks(file('tasks-train.jsonl'), { split: 'train', seed: 49 })
for (const split of ['train', 'validation'] as const)
  await writeDemonstrations(file(`demonstrations-${split}.jsonl`), { split, seed: 49 }, { ...demonstrated, rules })
const tasksOf = (split: DeskSplit) => deskTasks(49).filter((task) => task.split === split)

/** A folder that a finished run leaves is not made again. */
async function once<T>(name: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = file(name)
  const kept = path.join(dir, 'done.json')
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as T
  mkdirSync(dir, { recursive: true })
  const result = await work(dir)
  writeFileSync(kept, JSON.stringify(result))
  return result
}

function progressOf(name: string): StageRun {
  return new StageRun((event) => {
    if (event.type === 'committed' && event.done % 5 === 0)
      say(`${name} ${event.done}/${event.total} ${JSON.stringify(event.metrics)}`)
  })
}

async function learnSft(): Promise<string> {
  await once('sft', async (runDir) => {
    const { seconds } = await runSupervised(
      {
        ...place,
        stage: 'sft',
        runDir,
        train: file('demonstrations-train.jsonl'),
        validation: file('demonstrations-validation.jsonl'),
        config: sft,
        shuffle: true,
      },
      progressOf('sft'),
    )
    return { seconds }
  })
  return path.join(file('sft'), runFiles.adapter)
}

async function learnGroups(method: 'grpo' | 'ppo', rate: number, seed: number, initAdapter: string): Promise<string> {
  const name = `${choosing ? 'choice-' : ''}${method}-${rate}-${seed}`
  await once(name, async (runDir) => {
    const stage: GroupStage = method === 'grpo' ? 'grpo' : 'turn-ppo'
    const { seconds } = await runGroup(
      {
        ...place,
        stage,
        runDir,
        train: file('tasks-train.jsonl'),
        environment: { name: 'desk', rules },
        initAdapter,
        config: {
          ...(method === 'grpo' ? grpo : ppo),
          ...(choosing && { rollout_iterations: choiceIterations }),
          learning_rate: rate,
          seed,
        },
        ...(method === 'ppo' && { critic }),
        shuffle: true,
      },
      progressOf(name),
    )
    return { seconds }
  })
  return path.join(file(name), runFiles.adapter)
}

const playOf = (adapter: string | null, greedy: boolean, seed = 1049): DeskPlay => ({
  context,
  policy: adapter === null ? null : roleFromPeft(adapter, context.base),
  rewardModel: null,
  rules,
  greedy,
  seed,
})

/** One greedy episode a task, and four sampled ones. */
function measured(name: string, adapter: string | null, split: DeskSplit) {
  return once(`${name}-on-${split}`, async () => {
    const tasks = tasksOf(split)
    const greedy = await deskRollouts(playOf(adapter, true), tasks, 1)
    const sampled = await deskRollouts(playOf(adapter, false), tasks, 4)
    return { greedy: greedy.summary, sampled: sampled.summary }
  })
}
type Measured = Awaited<ReturnType<typeof measured>>

const percent = (value: number | null) => `${(100 * (value ?? 0)).toFixed(1)} %`
function line(name: string, split: string, { greedy, sampled }: Measured): string {
  const interval = greedy.success_interval?.map(percent).join(' to ')
  return [
    `| ${name} (${split})`,
    `${greedy.successes} of ${greedy.graded}, ${percent(greedy.success_rate)} (${interval})`,
    greedy.mean_turns?.toFixed(2),
    `${sampled.successes} of ${sampled.graded}, ${percent(sampled.success_rate)}`,
    sampled.mean_turns?.toFixed(2),
    sampled.mean_reward?.toFixed(3),
    percent(sampled.invalid_share),
    `${sampled.ends.horizon + sampled.ends.token_limit} |`,
  ].join(' | ')
}

/** One task of each family with three candidates: groups of one request that a policy can get right and wrong. */
function auditedTasks(): DeskTask[] {
  const seen = new Set<string>()
  return tasksOf('train').filter(({ family, candidates }) => {
    if (candidates.length !== 3 || seen.has(family)) return false
    seen.add(family)
    return true
  })
}

/** Concentration of the gradient on turns, at the policy that sampled the rollouts. */
function concentration(name: string, adapter: string) {
  return once(`${name}-concentration`, async (dir) => {
    const { trajectories } = await deskRollouts(playOf(adapter, false), auditedTasks(), 8)
    const input = path.join(dir, 'rollouts.jsonl')
    writeTrajectories(input, trajectories)
    const advantages = { method: 'monte-carlo', settings: { baseline: 'grpo' } }
    return concentrationOfFile(context, {
      input,
      adapter,
      settings: { dtype: 'float32', reduction: 'sum', advantages },
    })
  })
}

/** Induced process reward of groups as they were sampled, and of the trees that branching makes of them. */
function branching(name: string, adapter: string) {
  return once(`${name}-branches`, async (dir) => {
    const { trajectories } = await deskRollouts(playOf(adapter, false), auditedTasks(), 2)
    const input = path.join(dir, 'rollouts.jsonl')
    writeTrajectories(input, trajectories)
    const tree = await deskBranches(playOf(adapter, false, 2049), input, { branches: 2, at: 'every' })
    writeTrajectories(path.join(dir, 'tree.jsonl'), tree.trajectories)
    const read = (rows: readonly (typeof tree.trajectories)[number][]) => {
      const groups = [...new Set(rows.map(({ group }) => group))].map((group) =>
        inducedProcessReward(
          rows.flatMap((row) => {
            if (row.group !== group || row.reward === null) return []
            const { completionIds, actionMask } = trainedRow(row, input)
            return [{ ids: completionIds, trained: actionMask, outcome: row.reward }]
          }),
        ),
      )
      const mean = (of: (group: (typeof groups)[number]) => number) =>
        groups.reduce((sum, group) => sum + of(group), 0) / groups.length
      return {
        groups: groups.length,
        rollouts: rows.length,
        killed: groups.filter(({ killed }) => killed).length,
        informative_fraction: mean((group) => group.informativeFraction),
        zero_fraction: mean((group) => group.zeroFraction),
      }
    }
    return { as_sampled: read(trajectories), tree: read(tree.trajectories), prefixes: tree.prefixes }
  })
}

const start = await learnSft()
if (choosing) {
  say(line('SFT', 'validation', await measured('sft', start, 'validation')))
  for (const rate of grid) {
    const adapter = await learnGroups('grpo', rate, 49, start)
    say(line(`grpo ${rate}`, 'validation', await measured(`choice-grpo-${rate}-49`, adapter, 'validation')))
  }
} else {
  const policies: [string, string | null][] = [
    ['base', null],
    ['sft', start],
  ]
  for (const seed of seeds)
    for (const method of methods)
      policies.push([`${method}-${rates[method]}-${seed}`, await learnGroups(method, rates[method], seed, start)])
  const success: Record<string, Measured> = {}
  for (const [name, adapter] of policies)
    for (const split of ['validation', 'test'] as const) {
      const found = await measured(name, adapter, split)
      success[`${name} ${split}`] = found
      say(line(name, split, found))
    }
  const turns: Record<string, unknown> = {}
  const trees: Record<string, unknown> = {}
  for (const [name, adapter] of policies) {
    // One seed's policies are enough to look at gradients with.
    if (adapter === null || (name !== 'sft' && !name.endsWith(`-${seeds[0]}`))) continue
    turns[name] = await concentration(name, adapter)
    trees[name] = await branching(name, adapter)
    say(`${name} ${JSON.stringify(turns[name])}`)
    say(`${name} ${JSON.stringify(trees[name])}`)
  }
  writeFileSync(
    file('figures.json'),
    `${JSON.stringify({ rules, sft, grpo, ppo, critic, rates, success, turns, trees }, null, 2)}\n`,
  )
}
