/** Seconds by phase for every run that recorded them: phases are kept apart and never folded into one rate. */
import type { RunRecord } from '../../../shared/study-document.ts'
import { seconds } from '../number-text.ts'
import { type Block, written } from '../section.ts'

export function phaseTimes(
  runs: readonly RunRecord[],
): { readonly blocks: readonly Block[]; readonly data: Readonly<Record<string, unknown>> } | null {
  const timed = runs.filter((run) => run.stage === 'ppo' && Object.keys(run.seconds).length > 0)
  if (timed.length === 0) return null
  // `active` is the whole run and stands beside the phases, not among them.
  const phases = [...new Set(timed.flatMap((run) => Object.keys(run.seconds)))].filter((phase) => phase !== 'active')
  const label = (run: RunRecord) => (run.purpose === 'main' ? 'PPO' : run.purpose)
  return {
    blocks: [
      {
        kind: 'figures',
        width: 'wide',
        figures: [
          {
            id: 'figure-ppo-phases',
            title: 'Where the time went',
            caption: 'Seconds of each phase, this machine. Durations are no part of any comparable state.',
            chart: {
              kind: 'bars',
              xLabel: 'seconds',
              segments: phases.map(phaseName),
              rows: timed.map((run) => ({
                label: label(run),
                values: phases.map((phase) => run.seconds[phase] ?? null),
              })),
            },
            dataKey: 'ppo.data.phase_seconds',
          },
        ],
      },
      {
        kind: 'table',
        table: {
          id: 'table-ppo-phases',
          caption: 'Time of each phase of PPO',
          columns: [{ label: 'Run' }, ...phases.map((phase) => ({ label: phaseName(phase), numeric: true }))],
          rows: timed.map((run) => ({
            cells: [
              `${label(run)} (${run.run_id})`,
              ...phases.map((phase) => written(run.seconds[phase], seconds(run.seconds[phase]))),
            ],
          })),
        },
      },
    ],
    data: Object.fromEntries(timed.map((run) => [run.run_id, run.seconds])),
  }
}

function phaseName(phase: string): string {
  const words = phase.replace(/_seconds$/, '').replaceAll('_', ' ')
  return words.replace('optimization', 'optimisation')
}
