/**
 * Trainers side by side on the office study: one SFT policy and one reward model, then every method of credit from the same
 * start, several seeds each, judged on the held-out test pages by the rubric and by the learned reward.
 *
 *     node scripts/compare-trainers.ts OUT [--iterations 12] [--seeds 49,50,51,52,53] [--threads 2] [--methods grpo,datc]
 *
 * An iteration samples 4 prompts in groups of 8: 12 of them are 384 responses, about what the study's PPO samples. DPO takes
 * the reward model's pairs once over instead; there a seed is an order of the pairs. OUT gets a folder a run, `outcomes.json` and `table.md`. What is finished is read again rather than repeated, so the same
 * command goes on where it stopped. Nothing is chosen by what comes out.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Moments } from '../src/main/engine/credit/datc/policy-moments.ts'
import { generateRows } from '../src/main/engine/learn/generate-rows.ts'
import { learnFromGroups } from '../src/main/engine/learn/group-loop.ts'
import { RewardJudge } from '../src/main/engine/learn/reward-judge.ts'
import { copyRole, type Role, roleFromPeft } from '../src/main/engine/learn/role.ts'
import { singleTurnSource } from '../src/main/engine/learn/single-turn-source.ts'
import { encoderFor, limitsOf, openStage, turnEndId } from '../src/main/engine/learn/stage-context.ts'
import { PhaseClock, StageRun } from '../src/main/engine/learn/stage-run.ts'
import { readsGradients, readsMoments, strategyFor } from '../src/main/engine/learn/strategies/strategy-for.ts'
import { runSupervised } from '../src/main/engine/learn/supervised.ts'
import { generateCorpus } from '../src/main/engine/study/corpus.ts'
import { writeCorpusDir } from '../src/main/engine/study/corpus-files.ts'
import { evaluateResponse, undecodable } from '../src/main/engine/study/rubric.ts'
import { mean, standardDeviation } from '../src/main/engine/study/statistics.ts'
import { encodePrompts } from '../src/main/rows/encode.ts'
import { readRows } from '../src/main/rows/read-rows.ts'
import { promptRowSchema } from '../src/main/rows/row-schemas.ts'
import { dpoConfig, groupConfig, supervisedConfig } from '../src/main/workbench/study-config.ts'
import type { GroupIterationLine, GroupStage } from '../src/shared/group-run.ts'
import { runFiles } from '../src/shared/stage.ts'
import { type DpoConfig, embeddedPreset, type GroupConfig, type TrainingConfig } from '../src/shared/training-config.ts'

/** Every trained method: its stage and what differs from the embedded preset. */
const methods: Readonly<
  Record<string, { readonly stage: GroupStage | 'dpo'; readonly changes: Partial<GroupConfig> }>
> = {
  grpo: { stage: 'grpo', changes: {} },
  'datc λ=4': { stage: 'datc', changes: {} },
  'datc λ=2': { stage: 'datc', changes: { max_weight: 2 } },
  'datc λ=8': { stage: 'datc', changes: { max_weight: 8 } },
  'datc no-angle': { stage: 'datc', changes: { ablation: 'no-angle' } },
  'datc shuffled': { stage: 'datc', changes: { ablation: 'shuffled' } },
  red: { stage: 'red', changes: {} },
  p2t: { stage: 'p2t', changes: {} },
  rloo: { stage: 'rloo', changes: {} },
  comppo: { stage: 'comppo', changes: {} },
  dpo: { stage: 'dpo', changes: {} },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    iterations: { type: 'string', default: '12' },
    seeds: { type: 'string', default: '49,50,51,52,53' },
    threads: { type: 'string', default: '2' },
    methods: { type: 'string', default: Object.keys(methods).join(',') },
    model: { type: 'string', default: 'resources/models/embedded' },
  },
})
const [out] = positionals
if (out === undefined) throw new Error('usage: compare-trainers.ts OUT [--iterations N] [--seeds A,B] [--threads N]')
const iterations = Number(values.iterations)
const seeds = values.seeds.split(',').map(Number)
const chosen = values.methods.split(',')
for (const name of chosen)
  if (!(name in methods)) throw new Error(`${name} is none of ${Object.keys(methods).join(', ')}`)

const corpusDir = path.join(out, 'corpus')
const corpus = generateCorpus()
if (!existsSync(corpusDir)) writeCorpusDir(corpusDir, corpus.seed)
const context = await openStage({
  base: values.model,
  device: 'cpu',
  threads: Number(values.threads),
  weightCache: path.join(out, 'cache'),
})
const silent = new StageRun(() => {})
const started = performance.now()
const note = (line: string) =>
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}\n`)

/** Trains unless it is trained, and names the adapter. */
async function supervised(
  stage: 'sft' | 'reward' | 'dpo',
  file: string,
  config: TrainingConfig | DpoConfig,
  from: { readonly folder?: string; readonly initAdapter?: string } = {},
): Promise<string> {
  const { folder = stage, initAdapter } = from
  const runDir = path.join(out!, folder)
  const adapter = path.join(runDir, runFiles.adapter)
  if (existsSync(adapter)) return adapter
  mkdirSync(runDir, { recursive: true })
  note(folder)
  await runSupervised(
    {
      stage,
      runId: folder,
      runDir,
      base: values.model,
      device: 'cpu',
      threads: Number(values.threads),
      train: path.join(corpusDir, file),
      config,
      shuffle: true,
      ...(initAdapter !== undefined && { initAdapter }),
    },
    silent,
  )
  return adapter
}

const sftAdapter = await supervised('sft', 'demonstrations.jsonl', supervisedConfig(embeddedPreset, 'sft'))
const rewardAdapter = await supervised('reward', 'pairs-train.jsonl', supervisedConfig(embeddedPreset, 'reward'))
const start = roleFromPeft(sftAdapter, context.base)
const reward = roleFromPeft(rewardAdapter, context.base, 'score')
const encoder = encoderFor(context, 'corpus', limitsOf(embeddedPreset))
const trainFile = path.join(corpusDir, 'rollout-prompts.jsonl')
const prompts = encodePrompts(encoder, await readRows(trainFile, promptRowSchema))
const test = corpus.pages.filter(({ split }) => split === 'test')
const expected = new Map(corpus.labels.map(({ document_id, expected_action }) => [document_id, expected_action]))
const testPrompts = encodePrompts(
  encoder,
  test.map(({ document_id, prompt }, i) => ({ line: i + 1, row: { id: document_id, prompt } })),
)

interface HeldOut {
  readonly success: number
  readonly learned_reward: number
  readonly response_tokens: number
  readonly logratio: number
}
interface Outcome extends HeldOut {
  readonly method: string
  readonly seed: number
  /** Mean reward of the rollouts of the first and the last quarter of the iterations; null where nothing is sampled. */
  readonly first_rewards: number | null
  readonly last_rewards: number | null
}

async function heldOut(policy: Role): Promise<HeldOut> {
  const generations = await generateRows(context, testPrompts, {
    policy,
    reference: start,
    reward,
    maxNewTokens: embeddedPreset.max_new_tokens,
    eosIds: [turnEndId(context)],
    choice: { kind: 'greedy' },
    clock: new PhaseClock(),
  })
  const verdicts = generations.map((row) =>
    row.tokenization_valid ? evaluateResponse(row.text, row.finish_reason, expected.get(row.id)!) : undecodable,
  )
  return {
    success: mean(verdicts.map(({ rubric_success }) => Number(rubric_success))),
    learned_reward: mean(generations.map(({ learned_reward_score }) => learned_reward_score!)),
    response_tokens: mean(generations.map(({ token_ids }) => token_ids.length)),
    logratio: mean(
      generations.map(({ logprobs, reference_logprobs }) => mean(logprobs.map((p, t) => p - reference_logprobs![t]!))),
    ),
  }
}

async function trained(method: string, seed: number): Promise<Outcome> {
  const folder = `${method.replaceAll(/[ =]/g, '-')}-${seed}`
  const runDir = path.join(out!, folder)
  const done = path.join(runDir, 'outcome.json')
  if (existsSync(done)) return JSON.parse(readFileSync(done, 'utf8')) as Outcome
  mkdirSync(runDir, { recursive: true })
  const { stage, changes } = methods[method]!
  const learned =
    stage === 'dpo'
      ? await fromPairs(folder, seed)
      : await fromGroups(runDir, stage, {
          ...groupConfig(embeddedPreset),
          rollout_iterations: iterations,
          seed,
          ...changes,
        })
  const { policy, first_rewards, last_rewards } = learned
  const outcome: Outcome = { method, seed, ...(await heldOut(policy)), first_rewards, last_rewards }
  writeFileSync(done, JSON.stringify(outcome))
  return outcome
}

type Learned = { readonly policy: Role } & Pick<Outcome, 'first_rewards' | 'last_rewards'>

async function fromPairs(folder: string, seed: number): Promise<Learned> {
  const config = { ...dpoConfig(embeddedPreset), seed }
  const adapter = await supervised('dpo', 'pairs-train.jsonl', config, { folder, initAdapter: sftAdapter })
  return { policy: roleFromPeft(adapter, context.base), first_rewards: null, last_rewards: null }
}

async function fromGroups(runDir: string, stage: GroupStage, config: GroupConfig): Promise<Learned> {
  const clock = new PhaseClock()
  const judge = new RewardJudge(context, reward, { gradients: readsGradients(stage), clock })
  const moments: Moments | undefined = readsMoments(stage, config) ? new WeakMap() : undefined
  const policy = copyRole(start)
  await learnFromGroups({
    stage,
    runDir,
    config,
    shuffle: true,
    context,
    run: silent,
    clock,
    source: singleTurnSource(judge, prompts, config, clock, moments),
    strategy: strategyFor(stage, { context, config, policy, judge, moments, clock }),
    policy,
    frozen: { reward },
    identity: {},
  })
  const lines = readFileSync(path.join(runDir, runFiles.journal), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GroupIterationLine)
  const quarter = Math.max(1, Math.floor(lines.length / 4))
  const rewards = (of: readonly GroupIterationLine[]) =>
    mean(of.flatMap(({ rollouts }) => rollouts.map(({ trajectory }) => trajectory.reward ?? 0)))
  return { policy, first_rewards: rewards(lines.slice(0, quarter)), last_rewards: rewards(lines.slice(-quarter)) }
}

/** Student's t at 97.5 %, by degrees of freedom from 1 on. */
const t975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]

/** Mean over seeds and half the width of its 95 % interval; no interval of one seed. */
function spread(list: readonly number[]): { mean: number; half: number | null } {
  const freedom = list.length - 1
  const t = t975[Math.min(freedom, t975.length) - 1]
  return {
    mean: mean(list),
    half: t === undefined ? null : (t * standardDeviation(list, 1)) / Math.sqrt(list.length),
  }
}

const before = await heldOut(start)
note(`start: rubric ${before.success.toFixed(3)}, learned reward ${before.learned_reward.toFixed(3)}`)
const outcomes: Outcome[] = []
for (const seed of seeds)
  for (const method of chosen) {
    const outcome = await trained(method, seed)
    outcomes.push(outcome)
    note(
      `${method}, seed ${seed}: rubric ${outcome.success.toFixed(3)}, learned reward ${outcome.learned_reward.toFixed(3)}`,
    )
  }

const of = (method: string) => outcomes.filter((outcome) => outcome.method === method)
const shown = ({ mean: value, half }: ReturnType<typeof spread>, digits: number, sign = false) =>
  `${sign && value >= 0 ? '+' : ''}${value.toFixed(digits)}${half === null ? '' : ` ± ${half.toFixed(digits)}`}`
const beside = (method: string, figure: (outcome: Outcome) => number, digits: number) => {
  if (method === 'grpo' || !chosen.includes('grpo')) return ''
  const differences = of(method).map(
    (outcome) => figure(outcome) - figure(of('grpo').find(({ seed }) => seed === outcome.seed)!),
  )
  return shown(spread(differences), digits, true)
}
const table = [
  '| method | rubric success | minus GRPO | learned reward | minus GRPO | tokens | log-ratio |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  `| start (SFT) | ${before.success.toFixed(3)} | | ${before.learned_reward.toFixed(3)} | | ${before.response_tokens.toFixed(1)} | 0 |`,
  ...chosen.map((method) => {
    const over = (figure: (outcome: Outcome) => number) => spread(of(method).map(figure))
    return `| ${[
      method,
      shown(
        over(({ success }) => success),
        3,
      ),
      beside(method, ({ success }) => success, 3),
      shown(
        over(({ learned_reward }) => learned_reward),
        3,
      ),
      beside(method, ({ learned_reward }) => learned_reward, 3),
      over(({ response_tokens }) => response_tokens).mean.toFixed(1),
      over(({ logratio }) => logratio).mean.toFixed(4),
    ].join(' | ')} |`
  }),
].join('\n')
writeFileSync(
  path.join(out, 'outcomes.json'),
  `${JSON.stringify({ iterations, seeds, start: before, outcomes }, null, 1)}\n`,
)
writeFileSync(path.join(out, 'table.md'), `${table}\n`)
process.stdout.write(`${table}\n`)
