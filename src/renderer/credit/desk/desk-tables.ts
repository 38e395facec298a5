/** The desk's figures as tables and bars. */
import { integer } from '../../../main/report/number-text.ts'
import { counted, measured, shared, type Table, verdict } from '../../../main/report/section.ts'
import type { SignedBars } from '../../../main/report/svg/chart.ts'
import type { TrajectoryView } from '../../../shared/credit.ts'
import type { DeskSummary, DeskTask } from '../../../shared/desk-views.ts'
import type { TurnConcentration } from '../../../shared/turn-concentration.ts'
import { deskOf, endWords } from './episodes.ts'

export function summaryTable(summary: DeskSummary): Table {
  const { ends, success_interval: interval } = summary
  const row = (name: string, cell: Table['rows'][number]['cells'][number], note = '') => ({ cells: [name, cell, note] })
  return {
    caption: 'What these episodes come to',
    columns: [{ label: 'Figure' }, { label: 'Value', numeric: true }, { label: 'Of what' }],
    rows: [
      row(
        'Success rate',
        shared(summary.success_rate),
        `${summary.successes} of ${summary.graded} graded${
          interval === null
            ? ''
            : `; 95 % interval ${interval.map((bound) => `${(100 * bound).toFixed(1)} %`).join(' to ')}, over ${summary.families} families`
        }`,
      ),
      row('Mean reward', measured(summary.mean_reward), partsText(summary)),
      row('Answered', counted(ends.answered), `of ${integer(summary.rollouts)} episodes`),
      row('Cut at the horizon', counted(ends.horizon)),
      row('Cut by the token limit', counted(ends.token_limit)),
      row('Environment failures', counted(ends.environment_failure), 'no reward: never a 0'),
      row(
        'Agent turns, mean',
        measured(summary.mean_turns, 2),
        `${summary.mean_checks?.toFixed(2) ?? '—'} of them checks`,
      ),
      row('Invalid turns', shared(summary.invalid_share), 'neither check nor answer'),
      row('Locked checks', shared(summary.locked_share), 'before their gate was known'),
      row('Repeated checks', shared(summary.repeated_share), 'of what was known already'),
    ],
  }
}

function partsText({ reward_parts: parts }: DeskSummary): string {
  if (parts === null) return ''
  return Object.entries(parts)
    .filter(([, value]) => value !== 0)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value.toFixed(3)}`)
    .join(', ')
}

export function episodeTable(views: readonly TrajectoryView[]): Table {
  return {
    caption: 'Episodes',
    columns: [
      { label: 'Episode' },
      { label: 'At fault' },
      { label: 'Agent turns', numeric: true },
      { label: 'End' },
      { label: 'Success' },
      { label: 'Reward', numeric: true },
    ],
    rows: views.map((view) => {
      const desk = deskOf(view)
      const { turns, id, reward, truncated } = view.trajectory
      return {
        cells: [
          id,
          desk?.task.fault ?? '',
          counted(turns.filter(({ role }) => role === 'assistant').length),
          desk === null ? (truncated ? 'truncated' : 'terminal') : endWords[desk.end],
          desk === null || desk.success === null ? '—' : verdict(desk.success, desk.success ? '✓ yes' : '✕ no'),
          measured(reward),
        ],
      }
    }),
  }
}

export function taskTable(tasks: readonly DeskTask[]): Table {
  return {
    caption: 'Tasks',
    columns: [
      { label: 'Task' },
      { label: 'Family' },
      { label: 'At fault' },
      { label: 'May be at fault' },
      { label: 'Request' },
    ],
    rows: tasks.map(({ id, family, fault, candidates, prompt }) => ({
      cells: [id, family, fault, candidates.join(', '), prompt],
    })),
  }
}

export function concentrationBars({ by_place: places, last }: TurnConcentration): SignedBars {
  return {
    kind: 'signed-bars',
    xLabel: 'share',
    series: [
      { name: 'of the whole gradient, projected', role: 'policy' },
      { name: 'of its rollout’s norms, mean', role: 'reference' },
      { name: 'of its rollout’s tokens, mean', role: 'neutral' },
    ],
    rows: [...places, last].map(({ name, turns, projected_share, mean_weight, mean_token_share }) => ({
      label: name === 'last' ? `last turn (n ${turns})` : `agent turn ${name} (n ${turns})`,
      values: [projected_share, mean_weight, mean_token_share],
    })),
  }
}

export function concentrationTable({ by_event: events }: TurnConcentration): Table {
  return {
    caption: 'Credit by what a turn was',
    columns: [
      { label: 'Turn' },
      { label: 'Turns', numeric: true },
      { label: 'Projected share', numeric: true },
      { label: 'Of its rollout’s norms', numeric: true },
      { label: 'Of its rollout’s tokens', numeric: true },
      { label: 'Norm a token', numeric: true },
    ],
    rows: events.map(({ name, turns, projected_share, mean_weight, mean_token_share, norm_per_token }) => ({
      cells: [
        name,
        counted(turns),
        measured(projected_share),
        shared(mean_weight),
        shared(mean_token_share),
        measured(norm_per_token, 4),
      ],
    })),
  }
}
