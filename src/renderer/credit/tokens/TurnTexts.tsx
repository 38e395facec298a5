/** Above cells that show ids: what the turns say, and what would split it by token. Draws nothing where tokens have texts. */
import type { TrajectoryView } from '../../../shared/credit.ts'
import { Notice } from '../../parts/index.ts'
import classes from '../credit.module.css'
import { turnTexts } from './turn-texts.ts'

interface Props {
  readonly view: TrajectoryView
  /** Under a heading of its own, where several stand together. */
  readonly named?: boolean
}

export function TurnTexts({ view, named = false }: Props) {
  const texts = turnTexts(view)
  if (texts.length === 0) return null
  return (
    <>
      {named && (
        <p className={classes.rowName}>
          <b>{view.trajectory.id}</b>
        </p>
      )}
      <dl className={classes.turnTexts}>
        {texts.map(({ turn, role, text }) => (
          <div key={turn} data-action={role === 'assistant'}>
            <dt>
              turn {turn}, {role}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** Once for all rollouts in view. */
export function TokenizerHint({ views }: { readonly views: readonly TrajectoryView[] }) {
  if (!views.some((view) => turnTexts(view).length > 0)) return null
  return (
    <div className={classes.apart}>
      <Notice tone="plain">
        No tokenizer is known for these rollouts: cells show token ids, and what a turn says stands whole. Import the
        file again with the field Tokenizer filled in, and each token has its text.
      </Notice>
    </div>
  )
}
