/** The desk's episodes as rows and as turns with what each was to the environment. */
import type { TrajectoryView } from '../../../shared/credit.ts'
import type { DeskTrajectory, DeskTurn } from '../../../shared/desk-views.ts'

export interface DeskEpisodeTurn {
  readonly turn: number
  readonly role: DeskTurn['role']
  readonly text: string
  /** Of an agent turn. */
  readonly event: string | null
  readonly reward: number | null
  /** What was known when the turn was taken: `queue=fine, cable=fault`; empty at the start. */
  readonly known: string | null
  readonly tokens: number
}

const events: Readonly<Record<NonNullable<DeskTurn['event']>, string>> = {
  check: 'checked',
  locked: 'locked: its gate was not known',
  answer: 'answered',
  invalid: 'neither check nor answer',
  cut: 'cut by the token limit',
  failure: 'the environment broke',
}

export function episodeTurns({ trajectory }: Pick<TrajectoryView, 'trajectory'>): DeskEpisodeTurn[] {
  return (trajectory.turns as readonly DeskTurn[]).map((turn, at) => ({
    turn: at,
    role: turn.role,
    text: turn.text ?? '',
    event: turn.event === undefined ? null : events[turn.event],
    reward: turn.reward ?? null,
    known: turn.state_key === undefined ? null : (turn.state_key.split('|')[1] ?? '').replaceAll(',', ', '),
    tokens: turn.token_ids?.length ?? 0,
  }))
}

/** Null for a rollout from elsewhere. */
export function deskOf({ trajectory }: Pick<TrajectoryView, 'trajectory'>): DeskTrajectory | null {
  const { task, end } = trajectory as Partial<DeskTrajectory>
  return task === undefined || typeof end !== 'string' ? null : (trajectory as unknown as DeskTrajectory)
}

export const endWords: Readonly<Record<DeskTrajectory['end'], string>> = {
  answered: 'answered',
  horizon: 'cut at the horizon',
  token_limit: 'cut by the token limit',
  environment_failure: 'the environment failed: no reward',
}
