/** One sampled response in full, with its prompt as the model saw it. */
import { useAnswer } from '../bridge/index.ts'
import { Link } from '../routes/index.ts'
import { Figures } from './Figures.tsx'
import { promptText } from './prompt-text.ts'
import type { SampleRow } from './sample-rows.ts'
import classes from './samples.module.css'

export function RolloutDetail({ studyId, row }: { readonly studyId: string; readonly row: SampleRow | null }) {
  const view = useAnswer('rollouts.show', row === null ? null : { study_id: studyId, rollout_id: row.id })
  if (row === null) {
    return (
      <div className={classes.detail}>
        <p className={classes.empty}>Choose a row to read its prompt and its response in full.</p>
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll
    <section className={classes.detail} aria-label="Chosen response" tabIndex={0}>
      <div className={classes.detailHead}>
        <h3>
          Prompt {row.prompt} · iteration {row.step}
        </h3>
        <Link to={{ screen: 'lattice', study: studyId, rollout: row.id }}>Its tokens</Link>
      </div>
      <p>{view.value === undefined ? '…' : promptText(view.value.prompt_tokens)}</p>
      <h3>Response</h3>
      <p>{row.response === '' ? '(empty)' : row.response}</p>
      <Figures row={row} />
    </section>
  )
}
