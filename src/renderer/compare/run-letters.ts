/** Runs are called by letters where their names would not fit. */
import type { RunListing, RunView } from '../../shared/ipc.ts'
import { stageName } from '../home/run-words.ts'

export const letter = (index: number): string => String.fromCharCode(65 + index)

export function runName(run: RunListing): string {
  const study = run.study_name === null ? 'own rows' : run.study_name
  return `${study} · ${stageName(run)} · ${run.created_at.slice(0, 16).replace('T', ' ')}`
}

export const seriesName = (view: RunView, index: number): string => {
  const { seed } = view.run.config
  return typeof seed === 'number' ? `${letter(index)}, seed ${seed}` : letter(index)
}
