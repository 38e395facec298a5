/** What the study showed on the held-out requests: the gap by its name, the sentence, and the figures behind it. */
import { useMemo } from 'react'
import { evidenceSentences, gapName, heldOutOutcome, verdictSentence } from '../../main/report/statistics/outcome.ts'
import type { StudyDocument } from '../../shared/study-document.ts'
import { Link } from '../routes/index.ts'
import classes from './study.module.css'

export function Finding({ study }: { readonly study: StudyDocument }) {
  const outcome = useMemo(() => (study.results === null ? null : heldOutOutcome(study.results)), [study.results])
  if (outcome === null) {
    return (
      <p className={classes.verdict}>
        Nothing yet: the held-out requests are answered after PPO has finished. No figure on this page is taken from
        them before that.
      </p>
    )
  }
  return (
    <>
      <p className={classes.gap}>{gapName(outcome)}</p>
      <p className={classes.verdict}>{verdictSentence(outcome)}</p>
      <ul className={classes.evidence}>
        {evidenceSentences(outcome).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Link to={{ screen: 'samples', study: study.study_id }}>Read the responses behind these figures</Link>
    </>
  )
}
