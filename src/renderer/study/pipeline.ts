/** A study as six cards from left to right: the state of each stage, its one figure, and what is due. */
import type { JobView } from '../../shared/ipc.ts'
import type { RunStatus, StageName, StudyDocument } from '../../shared/study-document.ts'
import type { Route } from '../routes/index.ts'
import { count, fixed, signed } from '../words/index.ts'

export type CardName = Exclude<StageName, 'report'>

export interface Card {
  readonly name: CardName
  readonly title: string
  readonly state: RunStatus | 'paused' | 'stopping'
  /** What the stage has to show for itself; null until it has. */
  readonly figure: { readonly value: string; readonly of: string } | null
  /** Share done and count, while it runs or where it stopped. */
  readonly progress: { readonly done: number; readonly total: number; readonly share: number } | null
  readonly open: { readonly label: string; readonly to: Route } | null
  /** Whether the work goes on here when the study is resumed. */
  readonly due: boolean
}

export const cardTitles: Readonly<Record<CardName, string>> = {
  corpus: 'Data',
  sft: 'SFT',
  reward: 'Reward model',
  ppo: 'PPO',
  evaluation: 'Evaluation',
  probes: 'Probes',
}

export function pipelineOf(study: StudyDocument, job: JobView | null): readonly Card[] {
  const live = job?.study_id === study.study_id ? job : null
  const next = study.stages.find(({ status }) => status !== 'finished')?.name
  const stopped = study.status === 'interrupted' || study.status === 'failed'
  return (Object.keys(cardTitles) as CardName[]).map((name) => {
    const stage = study.stages.find((candidate) => candidate.name === name)
    const progress = live?.progress?.stage === name && live.state !== 'finished' ? live.progress : null
    const state = progress === null ? (stage?.status ?? 'queued') : stateOf(live?.state, stage?.status)
    return {
      name,
      title: cardTitles[name],
      state,
      figure: figureOf(name, study),
      progress:
        progress !== null
          ? { done: progress.done, total: progress.total, share: progress.value }
          : stage !== undefined && stage.status !== 'finished' && stage.updates > 0
            ? { done: stage.updates, total: stage.total, share: stage.total === 0 ? 0 : stage.updates / stage.total }
            : null,
      open: openOf(name, study),
      due: stopped && name === next,
    }
  })
}

function stateOf(job: JobView['state'] | undefined, stage: RunStatus | undefined): Card['state'] {
  if (job === 'paused' || job === 'stopping') return job
  return job === 'running' || job === 'waiting' ? 'running' : (stage ?? 'queued')
}

function figureOf(name: CardName, study: StudyDocument): Card['figure'] {
  const { corpus, curves, results, iterations } = study
  switch (name) {
    case 'corpus': {
      const pairs = corpus?.audit.pairs
      return typeof pairs === 'number' ? { value: count(pairs), of: 'preference pairs' } : null
    }
    case 'sft': {
      const last = curves.sft_validation.at(-1)
      return last === undefined
        ? null
        : { value: fixed(last.loss, 3), of: `validation loss, n = ${count(last.population)}` }
    }
    case 'reward': {
      const test = results?.reward_test
      if (test !== undefined)
        return { value: percent(test.correct, test.pairs), of: `of ${count(test.pairs)} held-out pairs right` }
      const last = curves.reward_validation.at(-1)
      if (last === undefined || last.accuracy === null) return null
      return { value: percent(last.accuracy, 1), of: `of ${count(last.population)} validation pairs right` }
    }
    case 'ppo': {
      const [first] = iterations
      const last = iterations.at(-1)
      if (first === undefined || last === undefined || first === last) return null
      const span = Math.max(1, Math.min(10, Math.floor(iterations.length / 4)))
      const gain = mean(iterations.slice(-span)) - mean(iterations.slice(0, span))
      return { value: signed(gain), of: `learned reward, last ${span} against first ${span}` }
    }
    case 'evaluation': {
      if (results === null) return null
      const { sft, ppo } = results.actor
      return {
        value: `${sft.metrics.test.rubric_success} → ${ppo.metrics.test.rubric_success}`,
        of: `rubric success of ${count(ppo.metrics.test.rows)}, SFT → PPO`,
      }
    }
    case 'probes': {
      if (results === null) return null
      const { wrong_polite_outranks_correct_plain: above, unique_contexts: contexts } = results.probes
      return { value: `${above} of ${contexts}`, of: 'wrong-polite above right-plain' }
    }
  }
}

const mean = (points: StudyDocument['iterations']): number =>
  points.reduce((sum, { mean_learned_reward: reward }) => sum + reward, 0) / points.length

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1e-9)).toFixed(1)} %`

function openOf(name: CardName, study: StudyDocument): Card['open'] {
  const id = study.study_id
  if (name === 'corpus') return { label: 'The data', to: { screen: 'data' } }
  if (name === 'probes')
    return study.results === null ? null : { label: 'The probes', to: { screen: 'probes', study: id } }
  if (name === 'evaluation') {
    return study.results === null ? null : { label: 'The samples', to: { screen: 'samples', study: id } }
  }
  const run = study.runs.find(({ stage, purpose }) => stage === name && purpose === 'main')
  return run === undefined ? null : { label: 'The run', to: { screen: 'run', run: run.run_id } }
}
