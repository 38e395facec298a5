/** What happened in a run, in order: its life, and one line an update, validation or iteration as they were committed. */
import { decimal, percent, significant, utc } from '../../main/report/number-text.ts'
import type { RunView } from '../../shared/ipc.ts'
import { counted } from '../words/index.ts'

export interface LogLine {
  readonly at: string
  readonly text: string
  readonly tone?: 'bad'
}

/** Newest last. */
export function logLines(view: RunView): LogLine[] {
  const { run } = view
  return [
    { at: utc(run.created_at), text: 'queued' },
    ...(run.started_at === null
      ? []
      : [
          {
            at: utc(run.started_at),
            text: `started on ${run.device}, ${counted(run.threads, 'thread')}, code ${run.code_version}`,
          },
        ]),
    ...(run.stage === 'ppo' ? ppoLines(view) : supervisedLines(view)),
    ...(run.error === null ? [] : [{ at: utc(run.finished_at), text: run.error, tone: 'bad' as const }]),
    ...(run.status === 'finished' || run.status === 'interrupted' || run.status === 'failed'
      ? [{ at: utc(run.finished_at), text: `${run.status} after ${run.updates} of ${run.total} updates` }]
      : []),
  ]
}

function supervisedLines({ updates, validations }: RunView): LogLine[] {
  return updates.flatMap((update, index) => {
    const line: LogLine = {
      at: `update ${update.update}`,
      text: `epoch ${update.epoch} · loss ${decimal(update.loss, 4)} · gradient norm ${significant(update.grad_norm)} · learning rate ${significant(update.learning_rate)}`,
    }
    if (updates[index + 1]?.epoch === update.epoch) return [line]
    const validation = validations.find(({ epoch }) => epoch === update.epoch)
    if (validation === undefined) return [line]
    const accuracy = validation.accuracy === null ? '' : ` · ${percent(validation.accuracy)} in the right order`
    const text = `validation, ${validation.population} rows · loss ${decimal(validation.loss, 4)}${accuracy}`
    return [line, { at: `epoch ${update.epoch}`, text }]
  })
}

function ppoLines({ ppo_updates: updates, iterations }: RunView): LogLine[] {
  const byIteration = new Map<number, RunView['ppo_updates'][number][]>()
  for (const update of updates) {
    byIteration.set(update.iteration, [...(byIteration.get(update.iteration) ?? []), update])
  }
  return iterations.flatMap((iteration) => {
    const judged =
      iteration.rubric_judged === 0 ? '' : ` · rubric ${iteration.rubric_success} of ${iteration.rubric_judged}`
    return [
      {
        at: `iteration ${iteration.iteration}`,
        text: `${iteration.rollouts} rollouts · learned reward ${decimal(iteration.mean_learned_reward)}${judged} · ${decimal(iteration.mean_response_tokens, 1)} tokens · ${iteration.without_eos} truncated · sampled log-ratio ${decimal(iteration.mean_sampled_actor_reference_logratio)}`,
      },
      ...(byIteration.get(iteration.iteration) ?? []).map((update) => ({
        at: `update ${update.update}`,
        text: `policy loss ${decimal(update.actor_loss, 4)} · critic loss ${decimal(update.critic_loss, 4)} · ratio ${decimal(update.ratio_min)} to ${decimal(update.ratio_max)} · clipped ${percent(update.clip_fraction)}`,
      })),
    ]
  })
}
