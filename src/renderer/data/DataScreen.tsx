/** What is learned from, and are my own rows in order? */
import { Button, NativeSelect, NumberInput } from '@mantine/core'
import { useState } from 'react'
import type { RequestParameters } from '../../shared/ipc.ts'
import { minimumPreset } from '../../shared/training-config.ts'
import { useAnswer } from '../bridge/index.ts'
import { PathField, Screen } from '../parts/index.ts'
import { go } from '../routes/index.ts'
import { CorpusPreview } from './CorpusPreview.tsx'
import classes from './data.module.css'
import { RowsCheck } from './RowsCheck.tsx'

type Kind = RequestParameters<'rows.check'>['kind']
const kinds: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: 'demonstration', label: 'Demonstrations' },
  { value: 'pair', label: 'Preference pairs' },
  { value: 'prompt', label: 'Prompts' },
]

export default function DataScreen() {
  const { value: info } = useAnswer('app.info', {})
  const [seed, setSeed] = useState(minimumPreset.seed)
  const [kind, setKind] = useState<Kind>('pair')
  const [file, setFile] = useState('')
  return (
    <Screen
      title="Data"
      question="What is learned from, and are my own rows in order?"
      actions={<Button onClick={() => go({ screen: 'new', wizard: 'data', study: null })}>New study</Button>}
    >
      <section className={classes.section} aria-labelledby="corpus">
        <h2 id="corpus">The office-help corpus</h2>
        <p>
          Made by rules, not by people: who is asked what, and which answer counts as better, follows from a published
          grammar. The seed decides which families are learned from and which are held out.
        </p>
        <NumberInput
          label="Seed"
          w={110}
          allowDecimal={false}
          value={seed}
          onChange={(value) => typeof value === 'number' && Number.isSafeInteger(value) && setSeed(value)}
        />
        <CorpusPreview seed={seed} />
      </section>
      <section className={classes.section} aria-labelledby="own">
        <h2 id="own">Rows of your own</h2>
        <p>One JSON object a line. Every row is checked as the stage would, lengths in tokens of the embedded model.</p>
        <div className={classes.own}>
          <PathField label="File" what="file" value={file} onChange={setFile} />
          <NativeSelect
            label="Kind of rows"
            data={[...kinds]}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as Kind)}
          />
        </div>
        <RowsCheck file={file} kind={kind} model={info?.embedded_model ?? ''} />
      </section>
    </Screen>
  )
}
