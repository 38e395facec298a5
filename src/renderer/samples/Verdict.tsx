/** The rubric's verdict: a mark, a word, and a colour besides. */
import type { RubricVerdict } from '../../shared/study-results.ts'
import { verdictWords } from './sample-rows.ts'
import classes from './samples.module.css'

export function Verdict({ rubric }: { readonly rubric: RubricVerdict | null }) {
  const tone =
    rubric?.rubric_success === true ? classes.passed : rubric?.recognized === true ? classes.failed : classes.unjudged
  return <span className={tone}>{verdictWords(rubric)}</span>
}
