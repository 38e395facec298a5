/** The groups of a process-reward reading as a table. */
import { counted, measured, shared, type Table, verdict } from '../../../main/report/section.ts'
import type { ProcessReward } from '../../../shared/credit-estimates.ts'

export function processTable({ groups }: ProcessReward): Table {
  return {
    caption: 'Groups',
    columns: [
      { label: 'Group' },
      { label: 'Rollouts', numeric: true },
      { label: 'Shared by all, tokens', numeric: true },
      { label: 'Divergence depth, mean', numeric: true },
      { label: 'Informative positions', numeric: true },
      { label: 'Zero process reward', numeric: true },
      { label: 'Verdict' },
    ],
    rows: groups.map((group) => ({
      cells: [
        group.group,
        counted(group.rollouts),
        counted(group.longest_common_prefix),
        measured(group.mean_divergence_depth, 2),
        shared(group.informative_fraction),
        shared(group.zero_reward_fraction),
        verdict(!group.killed, group.killed ? `✕ killed: ${group.reason ?? 'uninformative'}` : '✓ informative'),
      ],
    })),
  }
}
