/** Whole stages in their own process: exact resume after an interruption, after a kill, and refusals of changed input. */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type GenerateJob,
  type IterationLine,
  type JudgeJob,
  type PpoJob,
  runFiles,
  type StageEvent,
  type StageJob,
  type SupervisedJob,
  type TimingLine,
  type UpdateLine,
} from '../../shared/stage.ts'
import { minimumPreset } from '../../shared/training-config.ts'
import { generateCorpus, isPairLabel } from './study/corpus.ts'

const home = mkdtempSync(path.join(tmpdir(), 'recompense-stage-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const golden = new URL('../../../test/golden/checkpoints/base_f32', import.meta.url).pathname
const file = (name: string) => path.join(home, name)

const jsonl = (name: string, rows: readonly object[]) =>
  writeFileSync(file(name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
beforeAll(() => {
  const corpus = generateCorpus()
  const prompts = new Map([...corpus.pages, ...corpus.warm].map((page) => [page.document_id, page.prompt]))
  jsonl(
    'demonstrations.jsonl',
    corpus.warm_labels
      .slice(0, 10)
      .map((row) => ({ id: row.document_id, prompt: prompts.get(row.document_id), completion: row.response })),
  )
  const pairs = corpus.labels.filter(isPairLabel).map((row) => ({
    id: row.document_id,
    prompt: prompts.get(row.document_id),
    chosen: row.chosen,
    rejected: row.rejected,
  }))
  jsonl('pairs.jsonl', pairs.slice(0, 10))
  jsonl('validation.jsonl', pairs.slice(10, 14))
  jsonl(
    'prompts.jsonl',
    corpus.rollouts.slice(0, 6).map((row) => ({ id: row.document_id, prompt: row.prompt })),
  )
})

interface Run {
  readonly events: readonly StageEvent[]
  readonly code: number | null
}
/** Runs a job to its end; `meddle` sees every event and may kill or command the process. */
function runStage(job: StageJob, meddle: (event: StageEvent, child: ChildProcess) => void = () => {}): Promise<Run> {
  mkdirSync(job.runDir, { recursive: true })
  const child = fork(new URL('./stage-process.ts', import.meta.url).pathname, { serialization: 'advanced' })
  const events: StageEvent[] = []
  return new Promise((resolve) => {
    child.on('message', (event: StageEvent) => {
      events.push(event)
      meddle(event, child)
    })
    child.on('exit', (code) => resolve({ events, code }))
    child.send({ type: 'start', job })
  })
}
const failureOf = (run: Run) => run.events.find((event) => event.type === 'failed')
const bytes = (dir: string, name: string) => readFileSync(path.join(dir, name))
const sameRun = (a: string, b: string) => {
  for (const name of [runFiles.state, runFiles.journal]) expect(bytes(a, name).equals(bytes(b, name)), name).toBe(true)
}

const shared = {
  ...minimumPreset,
  seed: 49,
  max_new_tokens: 64,
}
const { name: _, sft_epochs: __, ...rest } = shared
const pick = <K extends keyof typeof rest>(...keys: K[]) =>
  Object.fromEntries(keys.map((key) => [key, rest[key]])) as Pick<typeof rest, K>
const common = pick(
  'warmup_ratio',
  'minimum_lr_ratio',
  'weight_decay',
  'gradient_clip',
  'seed',
  'lora_rank',
  'lora_alpha',
  'max_prompt_tokens',
  'max_new_tokens',
  'max_context_tokens',
)
const base = { runId: 'test', base: golden, device: 'cpu', threads: 1 } as const
// 10 examples in steps of 4: the last step of an epoch is short, so epoch boundaries and step boundaries differ.
const supervised = (stage: 'sft' | 'reward', dir: string, extra: Partial<SupervisedJob> = {}): SupervisedJob => ({
  ...base,
  stage,
  runDir: file(dir),
  train: file(stage === 'sft' ? 'demonstrations.jsonl' : 'pairs.jsonl'),
  validation: file('validation.jsonl'),
  shuffle: true,
  config: { ...common, learning_rate: 1e-3, epochs: 2, accumulation_examples: 4 },
  ...extra,
})
const ppo = (dir: string, extra: Partial<PpoJob> = {}): PpoJob => ({
  ...base,
  stage: 'ppo',
  runDir: file(dir),
  train: file('prompts.jsonl'),
  initAdapter: file('sft/adapter'),
  rewardAdapter: file('reward/adapter'),
  shuffle: true,
  config: {
    ...common,
    ...pick(
      'clip_epsilon',
      'kl_coefficient',
      'gamma',
      'gae_lambda',
      'value_loss_coef',
      'temperature',
      'truncation_penalty',
      'ppo_epochs_per_rollout',
    ),
    max_new_tokens: 12,
    ppo_actor_lr: 1e-3,
    ppo_critic_lr: 1e-3,
    prompts_per_rollout: 4,
    rollout_iterations: 4,
  },
  ...extra,
})

describe('exact resume', () => {
  test.each(['sft', 'reward'] as const)(
    '%s: interrupted after epoch 1 and resumed equals continuous, byte for byte',
    async (stage) => {
      expect((await runStage(supervised(stage, stage))).code).toBe(0)
      const dir = `${stage}-parts`
      const first = await runStage(supervised(stage, dir, { stopAfter: 1 }))
      expect(first.events.at(-1)).toMatchObject({
        type: 'finished',
        status: 'interrupted',
        summary: { updates: 3, total: 6 },
      })
      expect(existsSync(path.join(file(dir), runFiles.adapter))).toBe(false)
      expect((await runStage(supervised(stage, dir))).events.at(-1)).toMatchObject({
        type: 'finished',
        status: 'finished',
      })
      sameRun(file(stage), file(dir))
      expect(
        bytes(file(stage), 'adapter/adapter_model.safetensors').equals(
          bytes(file(dir), 'adapter/adapter_model.safetensors'),
        ),
      ).toBe(true)
    },
  )

  test('memory is taken after every commit, in a file apart, and so is the time', () => {
    const timings = (dir: string) =>
      readFileSync(path.join(file(dir), runFiles.timings), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as TimingLine)
    for (const dir of ['sft', 'sft-parts', 'reward']) {
      expect(timings(dir).map(({ update }) => update)).toEqual([1, 2, 3, 4, 5, 6])
      for (const { rss_bytes, seconds } of timings(dir)) {
        expect(rss_bytes).toBeGreaterThan(20e6)
        expect(seconds.train).toBeGreaterThan(0)
      }
    }
  })

  test('a stage killed in mid-epoch loses at most the step it was in, and still ends at the same bytes', async () => {
    const job = supervised('sft', 'sft-killed')
    const killed = await runStage(job, (event, child) => {
      if (event.type === 'committed' && event.done === 2) child.kill('SIGKILL')
    })
    expect(killed.code).toBe(null)
    expect((await runStage(job)).code).toBe(0)
    sameRun(file('sft'), file('sft-killed'))
  })

  test('a torn journal line of an update that was never committed is dropped', async () => {
    const job = supervised('sft', 'sft-torn')
    await runStage({ ...job, stopAfter: 1 })
    writeFileSync(path.join(job.runDir, runFiles.journal), '{"kind":"update","upd', { flag: 'a' })
    expect((await runStage(job)).code).toBe(0)
    sameRun(file('sft'), file('sft-torn'))
  })

  test('PPO: interrupted after iteration 2 and resumed, and stopped on request, equal continuous', async () => {
    expect((await runStage(ppo('ppo'))).code).toBe(0)
    await runStage(ppo('ppo-parts', { stopAfter: 2 }))
    expect((await runStage(ppo('ppo-parts'))).code).toBe(0)
    sameRun(file('ppo'), file('ppo-parts'))
    const stopped = await runStage(ppo('ppo-stopped'), (event, child) => {
      if (event.type === 'committed') child.send({ type: 'stop' })
    })
    expect(stopped.events.at(-1)).toMatchObject({ type: 'finished', status: 'interrupted' })
    expect((await runStage(ppo('ppo-stopped'))).code).toBe(0)
    sameRun(file('ppo'), file('ppo-stopped'))
  })

  test('edited data, settings, base adapter or thread count: the resume is refused and names what differs', async () => {
    const job = supervised('sft', 'sft-edited')
    await runStage({ ...job, stopAfter: 1 })
    const before = bytes(job.runDir, runFiles.state)
    const rows = readFileSync(job.train, 'utf8')
    writeFileSync(file('edited.jsonl'), rows.replace('A next step', 'The next step'))
    const refusals: [Partial<SupervisedJob>, string][] = [
      [{ train: file('edited.jsonl') }, 'train_data'],
      [{ config: { ...job.config, learning_rate: 2e-3 } }, 'config'],
      [{ threads: 2 }, 'threads'],
    ]
    for (const [change, named] of refusals) {
      const failed = failureOf(await runStage({ ...job, ...change }))
      expect(failed).toMatchObject({ kind: 'bad-input' })
      expect(failed?.message).toContain(named)
    }
    expect(bytes(job.runDir, runFiles.state).equals(before)).toBe(true)
    const flipped = Buffer.from(before)
    flipped[flipped.length - 9]! ^= 1
    writeFileSync(path.join(job.runDir, runFiles.state), flipped)
    expect(failureOf(await runStage(job))).toMatchObject({ kind: 'bad-input' })
  })
})

describe('stages that only read', () => {
  const prompts = () => file('prompts.jsonl')
  const generation = (dir: string): GenerateJob => ({
    ...base,
    stage: 'generate',
    runDir: file(dir),
    prompts: prompts(),
    adapter: file('sft/adapter'),
    referenceAdapter: file('sft/adapter'),
    rewardAdapter: file('reward/adapter'),
    greedy: true,
    temperature: 1,
    maxNewTokens: 6,
    maxPromptTokens: 256,
    seed: 1,
  })
  const judging = (dir: string): JudgeJob => ({
    ...base,
    stage: 'judge',
    runDir: file(dir),
    rows: file('demonstrations.jsonl'),
    rewardAdapter: file('reward/adapter'),
  })

  test.each([
    ['generate', generation, runFiles.generations, 'generate'],
    ['generate, in a reading after generation', generation, runFiles.generations, 'judge'],
    ['judge', judging, runFiles.scores, 'judge'],
  ] as const)(
    '%s: stopped on request it is interrupted, writes nothing, and goes on anew',
    async (_name, jobIn, output, phase) => {
      const job = jobIn(`stopped-${output}-${phase}`)
      // The stop is in its inbox before the first batch ends, or comes while it is in the phase.
      const stopped = await runStage(job, (event, child) => {
        if (phase === job.stage ? event.type === 'ready' : event.type === 'progress') child.send({ type: 'stop' })
      })
      expect(stopped.code).toBe(0)
      expect(stopped.events.at(-1)).toMatchObject({ type: 'finished', status: 'interrupted' })
      expect(existsSync(path.join(job.runDir, output))).toBe(false)
      const whole = await runStage(job)
      expect(whole.events.at(-1)).toMatchObject({ type: 'finished', status: 'finished' })
      expect(readFileSync(path.join(job.runDir, output), 'utf8').trim().split('\n').length).toBeGreaterThan(5)
    },
  )
})

describe('what PPO records', () => {
  const lines = (dir: string) =>
    readFileSync(path.join(file(dir), runFiles.journal), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as IterationLine)

  test('frozen roles keep their hashes, learning roles change, and all start from the same policy', async () => {
    const summary = JSON.parse(readFileSync(path.join(file('ppo'), runFiles.summary), 'utf8'))
    expect(summary.learnedSha256.reference).toBe(summary.initialSha256.reference)
    expect(summary.learnedSha256.reward).toBe(summary.initialSha256.reward)
    expect(summary.learnedSha256.actor).not.toBe(summary.initialSha256.actor)
    expect(summary.learnedSha256.critic).not.toBe(summary.initialSha256.critic)
    expect(summary.initialSha256.actor).toBe(summary.initialSha256.reference)
  })

  test('reward parts add up to the token rewards and the judge counts once', () => {
    for (const { rollouts } of lines('ppo'))
      for (const rollout of rollouts) {
        const total = rollout.token_rewards.reduce((sum, value) => sum + value, 0)
        const { judge, kl, truncation } = rollout.reward_parts
        expect(total).toBeCloseTo(judge + kl + truncation, 9)
        expect(judge).toBe(rollout.learned_reward_score)
        expect(truncation).toBe(rollout.finish_reason === 'length' ? -1 : 0)
        // The recorded log-ratio is the one the KL part was made of, sign included.
        expect(kl).toBeCloseTo(-0.02 * rollout.sampled_actor_reference_logratio * rollout.response_ids.length, 9)
      }
  })

  test('with learning rate 0 the ratio is 1 for every token, within the sampling-to-scoring difference', async () => {
    const job = ppo('ppo-still')
    expect(
      (await runStage({ ...job, config: { ...job.config, ppo_actor_lr: 0, ppo_critic_lr: 0, rollout_iterations: 2 } }))
        .code,
    ).toBe(0)
    for (const { updates } of lines('ppo-still'))
      for (const { observations } of updates)
        for (const { ratios, old_logprob_max_difference } of observations) {
          expect(old_logprob_max_difference).toBeLessThan(1e-4)
          for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThan(1e-4)
        }
  })

  test('the first epoch of every iteration starts at the behaviour policy, the second has moved', () => {
    for (const { updates } of lines('ppo')) {
      const spread = (update: (typeof updates)[number]) =>
        Math.max(...update.observations.flatMap((o) => o.ratios.map((ratio) => Math.abs(ratio - 1))))
      expect(spread(updates[0]!)).toBeLessThan(1e-4)
      expect(spread(updates[1]!)).toBeGreaterThan(1e-4)
    }
  })
})

test('a learning rate that blows up stops the run, names tensor and update, and keeps the last good state', async () => {
  const job = supervised('sft', 'sft-blown')
  // Parameters survive the first step, and their products do not survive the second forward pass.
  const run = await runStage({ ...job, config: { ...job.config, learning_rate: 1e18 } })
  const failed = failureOf(run)
  expect(failed).toMatchObject({ kind: 'failure' })
  expect(failed?.message).toMatch(/^update \d+: (gradient of model\.layers\.|loss )/)
  const committed = run.events.filter((event) => event.type === 'committed').length
  const journal = readFileSync(path.join(job.runDir, runFiles.journal), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as UpdateLine)
  expect(committed).toBeGreaterThan(0)
  expect(journal.filter((line) => line.kind === 'update').length).toBe(committed)
})

test('a step that throws the parameters themselves out of float32 is not committed', async () => {
  const job = supervised('sft', 'sft-thrown')
  const run = await runStage({ ...job, config: { ...job.config, learning_rate: 1e38 } })
  expect(failureOf(run)?.message).toMatch(/^update 1: model\.layers\..* is (NaN|-?Infinity) at element \d+/)
  expect(run.events.filter((event) => event.type === 'committed')).toEqual([])
})

test('an over-long row is refused by id before anything is learned', async () => {
  const rows = readFileSync(file('demonstrations.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; prompt: string })
  jsonl(
    'long.jsonl',
    rows.map((row, i) => (i === 3 ? { ...row, prompt: 'word '.repeat(400) } : row)),
  )
  const run = await runStage(supervised('sft', 'sft-long', { train: file('long.jsonl') }))
  expect(failureOf(run)).toMatchObject({ kind: 'bad-input', where: expect.stringContaining(rows[3]!.id) })
  expect(existsSync(path.join(file('sft-long'), runFiles.state))).toBe(false)
})
