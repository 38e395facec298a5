/** One episode as it went: request, agent turns with what each was and what was known, replies, and how it ended. */
import { change, decimal } from '../../../main/report/number-text.ts'
import type { TrajectoryView } from '../../../shared/credit.ts'
import classes from './desk.module.css'
import { deskOf, endWords, episodeTurns } from './episodes.ts'

export function Episode({ view }: { readonly view: TrajectoryView }) {
  const desk = deskOf(view)
  const { trajectory } = view
  const parts = Object.entries(desk?.reward_parts ?? {}).filter(([, value]) => value !== 0)
  return (
    <section aria-label={`Episode ${trajectory.id}`}>
      <p className={classes.head}>
        <b>{trajectory.id}</b>
        {desk !== null && (
          <span>
            at fault: {desk.task.fault}, among {desk.task.candidates.join(', ')}
          </span>
        )}
        <span>
          {trajectory.reward === null ? 'no reward' : `reward ${decimal(trajectory.reward)}`}
          {parts.length > 0 &&
            ` (${parts.map(([name, value]) => `${name.replaceAll('_', ' ')} ${change(value, 2)}`).join(', ')})`}
        </span>
        {desk !== null && (
          <span>
            {endWords[desk.end]}
            {desk.success === null ? '' : desk.success ? ' · ✓ success' : ' · ✕ no success'}
          </span>
        )}
      </p>
      <ol className={classes.turns}>
        {episodeTurns(view).map((turn) => (
          <li key={turn.turn} data-role={turn.role}>
            <span className={classes.role}>{turn.role === 'tool' ? 'reply' : turn.role}</span>
            <span>
              {turn.text}
              {turn.role === 'assistant' && (
                <small>
                  {turn.event}
                  {turn.reward !== null && ` · reward ${change(turn.reward, 2)}`}
                  {turn.known !== null && ` · known: ${turn.known === '' ? 'nothing' : turn.known}`}
                  {` · ${turn.tokens} tokens`}
                </small>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
