/** Figures of learning: a supervised step, a reward-model step, a PPO iteration, and the forward passes between them. */
import type { Bench, Measured } from './bench.ts'
import { type Figure, timedFigure } from './figure.ts'
import { timed } from './measure.ts'
import { PPO_PROMPTS, PPO_TOKENS, PROMPT, RANK, RESPONSE } from './presets.ts'
import { READ_ROWS } from './workload.ts'

/** How the reference study computes, and how PyTorch computes at its best without compiling. */
export const oneRow = 'one row at a time, as the reference study does'
/** The model's plain call, logits at every position; then the best it does, logits at response positions only. */
export const wholeLogits = 'batched, whole logits'
export const batched = 'batched'

const whole = (row: { promptIds: readonly number[]; completionIds: readonly number[] }) => [
  ...row.promptIds,
  ...row.completionIds,
]
const PPO_EPOCHS = 2

export function measureSft(bench: Bench): Promise<Measured> {
  const { workload } = bench
  const rows = workload.rows(workload.rowsOfStep).map(whole)
  const ask = { op: 'sft', rows, response: RESPONSE }
  return bench.measure('lora_step', () => timed(workload.sftStep()), {
    [wholeLogits]: { ...ask, micro: rows.length },
    [batched]: { ...ask, micro: rows.length, keep: true },
    [oneRow]: { ...ask, micro: 1 },
  })
}

export function measureReward(bench: Bench): Promise<Measured> {
  const { workload } = bench
  const pairs = workload.pairs()
  const ask = {
    op: 'reward',
    chosen: pairs.map((pair) => whole(pair.chosen)),
    rejected: pairs.map((pair) => whole(pair.rejected)),
  }
  const rivals = { [batched]: { ...ask, micro: pairs.length }, [oneRow]: { ...ask, micro: 1 } }
  return bench.measure('rm_step', () => timed(workload.rewardStep()), rivals, { share: 0.5 })
}

export function measurePpo(bench: Bench): Promise<Measured> {
  const { workload } = bench
  const prompts = workload.ppoPrompts().map((row) => row.promptIds)
  const ask = { op: 'ppo', prompts, new_tokens: PPO_TOKENS, epochs: PPO_EPOCHS }
  const iteration = workload.ppoIteration()
  return bench.measure(
    'ppo_iteration',
    () => timed(iteration, (parts) => parts as Readonly<Record<string, number>>),
    { [oneRow]: { ...ask, micro: 1 }, [batched]: { ...ask, micro: prompts.length } },
    { share: 0.25, warmUp: 1 },
  )
}

/** Log-probabilities and scores of fixed rows, as validation reads them. */
export function measureReadings(bench: Bench): Promise<{ log_probs: Measured; scores: Measured }> {
  return bench.once('readings', async () => {
    const { workload } = bench
    const rows = workload.rows(READ_ROWS).map(whole)
    const rivals = (op: string) => ({
      [oneRow]: { op, rows, response: RESPONSE, micro: 1 },
      [batched]: { op, rows, response: RESPONSE, micro: rows.length },
    })
    const share = { share: 0.5 }
    return {
      log_probs: await bench.measure('log_probs', () => timed(workload.readRows()), rivals('read'), share),
      scores: await bench.measure('scores', () => timed(workload.scoreRows()), rivals('score'), share),
    }
  })
}

/** Ours alone: the other side's cost is composed from its decoding and its readings. */
export function measureEvaluation(bench: Bench): Promise<Measured> {
  return bench.measure('evaluation', () => timed(bench.workload.evaluationRows()), {}, { share: 0.25, warmUp: 1 })
}

export async function loraStep(bench: Bench): Promise<Figure> {
  const rows = bench.workload.rowsOfStep
  const agreement = await lossAgreement(bench)
  const measured = await measureSft(bench)
  const rivals = bench.rivals(measured).map((rival) => ({ ...rival, ...(agreement && { agreement }) }))
  return timedFigure('lora_step', { unit: 'ms' }, measured.ours!, rivals, {
    shape: `forward, backward, clip and AdamW of ${rows} rows of ${PROMPT} + ${RESPONSE} tokens, LoRA rank ${RANK} on all seven projections`,
    gate: { of: 'ratio', at_most: bench.options.preset.name === 'qwen2.5-0.5b' ? 0.6 : 0.5 },
  })
}

/** Both sides' loss before any step: that they compute the same thing is part of a comparison. */
async function lossAgreement(bench: Bench): Promise<Record<string, number> | undefined> {
  const { peer, workload } = bench
  if (peer === undefined) return undefined
  const rows = workload.rows(workload.rowsOfStep).map(whole)
  await peer.ask({ op: 'reset' })
  const theirs = (await peer.ask({ op: 'sft', rows, response: RESPONSE, micro: 1 })).loss ?? Number.NaN
  const ours = await workload.sftStep()()
  return { loss_relative_difference: Math.abs(ours / theirs - 1) }
}

export async function rewardStep(bench: Bench): Promise<Figure> {
  const measured = await measureReward(bench)
  return timedFigure('rm_step', { unit: 'ms' }, measured.ours!, bench.rivals(measured), {
    shape: `Bradley–Terry step over ${bench.workload.rowsOfStep} pairs, 2 × ${PROMPT + RESPONSE} tokens each`,
  })
}

export async function ppoIteration(bench: Bench): Promise<Figure> {
  const measured = await measurePpo(bench)
  return timedFigure('ppo_iteration', { unit: 'ms' }, measured.ours!, bench.rivals(measured), {
    shape: `${PPO_PROMPTS} prompts of ${PROMPT} tokens, ${PPO_TOKENS} sampled tokens each, ${PPO_EPOCHS} epochs of actor and critic updates; parts in seconds`,
  })
}
