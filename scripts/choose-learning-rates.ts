/**
 * Chooses the learning rates of the `embedded` preset. Everything is decided on training and validation rows: of a
 * corpus folder it opens the four files named below and no other, so no held-out row, label or probe can weigh in.
 *
 *     npm run --silent recompense -- corpus generate --out CORPUS
 *     node scripts/choose-learning-rates.ts MODEL CORPUS OUT [sft|reward|ppo]
 *
 * OUT gets one run folder per rate and `outcomes.json`. Finished runs are read again rather than repeated.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runGenerate } from '../src/main/engine/learn/inference-stages.ts'
import { runPpo } from '../src/main/engine/learn/ppo.ts'
import { StageRun } from '../src/main/engine/learn/stage-run.ts'
import { runSupervised } from '../src/main/engine/learn/supervised.ts'
import { actions, phrases } from '../src/main/engine/study/grammar.ts'
import { evaluateResponse } from '../src/main/engine/study/rubric.ts'
import { ppoConfig, supervisedConfig } from '../src/main/workbench/study-config.ts'
import { type GenerationRow, type IterationLine, runFiles, type ValidationLine } from '../src/shared/stage.ts'
import { embeddedPreset, type StudyConfig } from '../src/shared/training-config.ts'

const grid = {
  sft: [5e-4, 1e-3, 1.5e-3, 2e-3, 2.5e-3, 3e-3],
  reward: [3e-4, 1e-3, 2e-3],
  actor: [1e-4, 3e-4, 1e-3],
  criticWhileActorVaries: 1e-3,
  critic: [3e-4, 1e-3, 3e-3],
}

/** What a rate must reach. docs/embedded-model.md says what was known when each rule was written. */
const rules = {
  /** Greedy rubric success on the validation prompts: visible, and not saturated. Nearest to the aim wins. */
  sftSuccess: { least: 0.5, most: 0.9, aim: 0.72 },
  /** Smallest rate that reaches this accuracy on the validation pairs. */
  rewardAccuracy: 0.97,
  /**
   * Mean share of tokens outside the clip range; in the last quarter of the iterations, the share of cut responses and
   * the mean log-ratio of a sampled token to the reference, in nats: a policy beyond it has left its language behind.
   */
  ppo: { meanClipFraction: 0.1, truncatedShare: 0.05, logRatio: 0.5 },
}

const [model, corpus, out, only] = process.argv.slice(2)
if (model === undefined || corpus === undefined || out === undefined)
  throw new Error('usage: choose-learning-rates.ts MODEL CORPUS OUT [sft|reward|ppo]')
const allowed = {
  demonstrations: path.join(corpus, 'demonstrations.jsonl'),
  pairsTrain: path.join(corpus, 'pairs-train.jsonl'),
  pairsValidation: path.join(corpus, 'pairs-validation.jsonl'),
  rolloutPrompts: path.join(corpus, 'rollout-prompts.jsonl'),
}

interface Pair {
  readonly id: string
  readonly prompt: string
  readonly chosen: string
}
const jsonl = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
const validation = jsonl<Pair>(allowed.pairsValidation)
mkdirSync(out, { recursive: true })
const validationPrompts = path.join(out, 'validation-prompts.jsonl')
writeFileSync(validationPrompts, validation.map(({ id, prompt }) => `${JSON.stringify({ id, prompt })}\n`).join(''))

/** The preferred answer of a validation pair always names the right action. */
const expected = new Map(validation.map(({ id, chosen }) => [id, actions.find((a) => chosen.includes(phrases[a]))!]))

const silent = new StageRun(() => {})
const place = { base: model, device: 'cpu', threads: 1, runId: 'choice' } as const

function runDir(...name: (string | number)[]): { dir: string; done: boolean } {
  const dir = path.join(out!, name.join('-'))
  mkdirSync(dir, { recursive: true })
  return { dir, done: existsSync(path.join(dir, 'done')) }
}
const finish = (dir: string) => writeFileSync(path.join(dir, 'done'), '')

async function validationAnswers(name: string, adapter?: string) {
  const { dir, done } = runDir('answers', name)
  if (!done) {
    const limits = { maxNewTokens: embeddedPreset.max_new_tokens, maxPromptTokens: embeddedPreset.max_prompt_tokens }
    await runGenerate(
      {
        ...place,
        ...limits,
        stage: 'generate',
        runDir: dir,
        prompts: validationPrompts,
        ...(adapter !== undefined && { adapter }),
        greedy: true,
        temperature: 1,
        seed: 0,
      },
      silent,
    )
    finish(dir)
  }
  const rows = jsonl<GenerationRow>(path.join(dir, runFiles.generations))
  const verdicts = rows.map((row) => evaluateResponse(row.text, row.finish_reason, expected.get(row.id)!))
  const share = (test: (verdict: (typeof verdicts)[number]) => boolean) => verdicts.filter(test).length / rows.length
  return {
    success: share((verdict) => verdict.rubric_success),
    recognised: share((verdict) => verdict.recognized),
    relevant: share((verdict) => verdict.relevant),
    unsupported_certainty: share((verdict) => verdict.unsupported_certainty === true),
    actions: actions.map((action) => verdicts.filter((verdict) => verdict.action === action).length),
  }
}

async function supervised(stage: 'sft' | 'reward', rate: number) {
  const { dir, done } = runDir(stage, rate)
  const config: StudyConfig = { ...embeddedPreset, sft_learning_rate: rate, reward_learning_rate: rate }
  if (!done) {
    const train = stage === 'sft' ? allowed.demonstrations : allowed.pairsTrain
    await runSupervised(
      {
        ...place,
        stage,
        runDir: dir,
        train,
        validation: allowed.pairsValidation,
        config: supervisedConfig(config, stage),
        shuffle: true,
      },
      silent,
    )
    finish(dir)
  }
  const lines = jsonl<ValidationLine | { kind: 'update' }>(path.join(dir, runFiles.journal))
  const last = lines.filter((line) => line.kind === 'validation').at(-1)!
  return { adapter: path.join(dir, runFiles.adapter), validation_loss: last.loss, accuracy: last.accuracy ?? null }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

async function ppo(actor: number, critic: number, sft: number, reward: number) {
  const { dir, done } = runDir('ppo', actor, critic, sft, reward)
  const config = { ...embeddedPreset, ppo_actor_lr: actor, ppo_critic_lr: critic }
  if (!done) {
    await runPpo(
      {
        ...place,
        stage: 'ppo',
        runDir: dir,
        train: allowed.rolloutPrompts,
        initAdapter: (await supervised('sft', sft)).adapter,
        rewardAdapter: (await supervised('reward', reward)).adapter,
        config: ppoConfig(config),
        shuffle: true,
      },
      silent,
    )
    finish(dir)
  }
  const lines = jsonl<IterationLine>(path.join(dir, runFiles.journal))
  const quarter = Math.floor(lines.length / 4)
  const [first, last] = [lines.slice(0, quarter), lines.slice(-quarter)]
  const rollouts = (part: readonly IterationLine[]) => part.flatMap((line) => line.rollouts)
  const over = (part: readonly IterationLine[], f: (r: IterationLine['rollouts'][number]) => number) =>
    mean(rollouts(part).map(f))
  const updates = lines.flatMap((line) => line.updates)
  return {
    mean_clip_fraction: mean(updates.map((update) => update.clip_fraction)),
    reward_first_quarter: over(first, (r) => r.learned_reward_score),
    reward_last_quarter: over(last, (r) => r.learned_reward_score),
    log_ratio_last_quarter: over(last, (r) => r.sampled_actor_reference_logratio),
    truncated_last_quarter: over(last, (r) => (r.finish_reason === 'length' ? 1 : 0)),
    distinct_responses_last_quarter: new Set(rollouts(last).map((r) => r.text)).size,
    critic_loss_first_quarter: mean(first.flatMap((line) => line.updates.map((update) => update.critic_loss))),
    critic_loss_last_quarter: mean(last.flatMap((line) => line.updates.map((update) => update.critic_loss))),
  }
}

function report(name: string, outcome: object): void {
  console.log(
    name,
    JSON.stringify(outcome, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)),
  )
}

const wants = (part: string) => only === undefined || only === part
const outcomes: Record<string, unknown> = { rules, grid }

const base = await validationAnswers('base')
report('base', base)
outcomes.base = base

const sftOutcomes: { rate: number; success: number }[] = []
for (const rate of grid.sft) {
  const { adapter, validation_loss } = await supervised('sft', rate)
  const outcome = { rate, validation_loss, ...(await validationAnswers(`sft-${rate}`, adapter)) }
  report('sft', outcome)
  sftOutcomes.push(outcome)
}
const distance = (success: number) => Math.abs(success - rules.sftSuccess.aim)
const chosenSft = sftOutcomes
  .filter(({ success }) => success >= rules.sftSuccess.least && success <= rules.sftSuccess.most)
  .sort((a, b) => distance(a.success) - distance(b.success))[0]?.rate
outcomes.sft = { tried: sftOutcomes, chosen: chosenSft ?? null }
report('sft chosen', { rate: chosenSft ?? null })

if (wants('reward') || wants('ppo')) {
  const tried = []
  for (const rate of grid.reward) {
    const { validation_loss, accuracy } = await supervised('reward', rate)
    const outcome = { rate, validation_loss, accuracy: accuracy! }
    report('reward', outcome)
    tried.push(outcome)
  }
  const chosenReward = tried.find(({ accuracy }) => accuracy >= rules.rewardAccuracy)?.rate
  outcomes.reward = { tried, chosen: chosenReward ?? null }
  report('reward chosen', { rate: chosenReward ?? null })

  if (wants('ppo') && chosenSft !== undefined && chosenReward !== undefined) {
    const runs: ({ actor: number; critic: number } & Awaited<ReturnType<typeof ppo>>)[] = []
    const attempt = async (actor: number, critic: number) => {
      const outcome = { actor, critic, ...(await ppo(actor, critic, chosenSft, chosenReward)) }
      report('ppo', outcome)
      runs.push(outcome)
    }
    for (const actor of grid.actor) await attempt(actor, grid.criticWhileActorVaries)
    const healthy = () =>
      runs
        .filter(
          (run) =>
            run.mean_clip_fraction <= rules.ppo.meanClipFraction &&
            run.truncated_last_quarter <= rules.ppo.truncatedShare &&
            run.log_ratio_last_quarter <= rules.ppo.logRatio &&
            run.reward_last_quarter > run.reward_first_quarter,
        )
        // The largest healthy actor rate, and with it the critic that explains the returns best.
        .sort((a, b) => b.actor - a.actor || a.critic_loss_last_quarter - b.critic_loss_last_quarter)
    const actor = healthy()[0]?.actor
    if (actor !== undefined) {
      for (const critic of grid.critic) if (critic !== grid.criticWhileActorVaries) await attempt(actor, critic)
    }
    const chosen = healthy()[0]
    outcomes.ppo = { tried: runs, chosen: chosen === undefined ? null : { actor: chosen.actor, critic: chosen.critic } }
    report('ppo chosen', { actor: chosen?.actor ?? null, critic: chosen?.critic ?? null })
  }
}
writeFileSync(path.join(out, 'outcomes.json'), `${JSON.stringify(outcomes, null, 2)}\n`)
