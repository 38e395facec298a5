/** Reads rollouts of this or another trainer in, and says which fields were found and which are absent. */
import { Button, Modal, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { ImportFormat, KeptTrajectories } from '../../../shared/credit.ts'
import { ask, useAnswer, useWorkbench, wordsOf } from '../../bridge/index.ts'
import { Notice, PathField } from '../../parts/index.ts'
import { counted } from '../../words/index.ts'
import classes from '../credit.module.css'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onKept: (kept: KeptTrajectories) => void
}

interface FormatWords {
  readonly label: string
  readonly what: 'file' | 'folder'
  readonly description: string
  /** Text has to become ids. */
  readonly tokenizer: 'needed' | 'useful' | 'none'
}

export const formats: Readonly<Record<ImportFormat, FormatWords>> = {
  trajectories: {
    label: 'Trajectory file (JSONL)',
    what: 'file',
    description: 'One rollout a line with its turns, as export trajectories and the credit commands write it',
    tokenizer: 'useful',
  },
  skyrl: {
    label: 'SkyRL dump',
    what: 'file',
    description: 'global_step_N_training_input.pkl; token rewards are recovered where the algebra allows',
    tokenizer: 'useful',
  },
  verl: {
    label: 'verl rollout file',
    what: 'file',
    description: 'N.jsonl of rollout_data_dir: texts and scores only',
    tokenizer: 'useful',
  },
  trl: {
    label: 'TRL completions',
    what: 'file',
    description: 'completions_N.parquet of log_completions: texts, rewards and advantages',
    tokenizer: 'useful',
  },
  openrlhf: {
    label: 'OpenRLHF rows',
    what: 'file',
    description: 'JSONL with prompt, text or response, reward',
    tokenizer: 'useful',
  },
  'reward-lens': {
    label: 'reward-lens record',
    what: 'folder',
    description: 'The folder that holds runs/; abstentions stay abstentions',
    tokenizer: 'useful',
  },
}

export function ImportDialog({ opened, onClose, onKept }: Props) {
  const { bridge } = useWorkbench()
  const sources = useAnswer('credit.sources', {})
  const [format, setFormat] = useState<ImportFormat>('trajectories')
  const [file, setFile] = useState('')
  const [tokenizer, setTokenizer] = useState('')
  const [state, setState] = useState<{ reading: boolean; problem?: string; kept?: KeptTrajectories }>({
    reading: false,
  })
  const words = formats[format]
  const read = () => {
    setState({ reading: true })
    const request = { format, file, ...(tokenizer === '' ? {} : { tokenizer }) }
    ask(bridge, 'credit.keep', request).then(
      (kept) => {
        setState({ reading: false, kept })
        sources.refresh()
      },
      (reason: unknown) => setState({ reading: false, problem: wordsOf(reason) }),
    )
  }
  return (
    <Modal opened={opened} onClose={onClose} title="Import rollouts" size="lg">
      <div className={classes.form}>
        <NativeSelect
          label="Written by"
          value={format}
          data={Object.entries(formats).map(([value, { label }]) => ({ value, label }))}
          onChange={(event) => {
            setFormat(event.currentTarget.value as ImportFormat)
            setState({ reading: false })
          }}
        />
        <PathField
          label={words.what === 'file' ? 'File' : 'Folder'}
          description={words.description}
          what={words.what}
          value={file}
          onChange={setFile}
        />
        <PathField
          label="Tokenizer (optional)"
          description="Folder of the model that sampled: it gives texts their ids, and cells their texts"
          what="folder"
          value={tokenizer}
          onChange={setTokenizer}
        />
        {state.problem !== undefined && (
          <Notice tone="bad" title="It was not read">
            {state.problem}
          </Notice>
        )}
        {state.kept !== undefined && <Kept kept={state.kept} />}
        <div className={classes.row}>
          <Button loading={state.reading} disabled={file.trim() === ''} onClick={read}>
            Read it
          </Button>
          {state.kept !== undefined && (
            <Button
              variant="default"
              onClick={() => {
                if (state.kept !== undefined) onKept(state.kept)
                setState({ reading: false })
              }}
            >
              Show its rollouts
            </Button>
          )}
        </div>
      </div>
    </Modal>
  )
}

function Kept({ kept }: { readonly kept: KeptTrajectories }) {
  return (
    <Notice tone="good" title={`${counted(kept.rows, 'rollout')} in ${counted(kept.groups, 'group')}`}>
      Found: {kept.fields_found.join(', ') || 'texts and rewards only'}. Not recorded:{' '}
      {kept.fields_absent.join(', ') || 'nothing'}.{kept.remarks.map((remark) => ` ${remark}.`)}
    </Notice>
  )
}
