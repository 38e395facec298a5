/** What will happen: time, memory and disk, what is learned from and what is not seen, and the same as a command. */
import { Checkbox, NativeSelect, NumberInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Estimate } from '../../shared/ipc.ts'
import type { DeviceName } from '../../shared/stage.ts'
import type { Answer } from '../bridge/index.ts'
import { Answered, CopyText, Notice } from '../parts/index.ts'
import { bytes, duration } from '../words/index.ts'
import type { Draft } from './draft.ts'
import { Populations } from './Populations.tsx'
import type { ChangeDraft } from './use-draft.ts'
import classes from './wizard.module.css'

interface Props {
  readonly draft: Draft
  readonly change: ChangeDraft
  readonly estimate: Answer<Estimate>
}

export const devices: readonly DeviceName[] = ['auto', 'cpu', 'webgpu', 'cuda', 'dml', 'coreml']

export function CheckStep({ draft, change, estimate }: Props) {
  return (
    <div className={classes.check}>
      {draft.target !== 'resume' && (
        <div className={classes.options}>
          <NativeSelect
            label="Device"
            value={draft.device}
            data={[{ value: '', label: 'as in Settings' }, ...devices]}
            onChange={(event) => change({ device: event.currentTarget.value as Draft['device'] })}
          />
          <NumberInput
            label="Threads"
            w={130}
            min={1}
            max={256}
            allowDecimal={false}
            placeholder="as in Settings"
            value={draft.threads === 0 ? '' : draft.threads}
            onChange={(value) => change({ threads: typeof value === 'number' && value > 0 ? value : 0 })}
          />
          {draft.target === 'study' && (
            <Checkbox
              size="xs"
              pb={7}
              label="Also show that a resumed run gives the same bytes (takes longer)"
              checked={draft.verifyResume}
              onChange={(event) => change({ verifyResume: event.currentTarget.checked })}
            />
          )}
        </div>
      )}
      <Answered answer={estimate} what="Estimating">
        {(value) => <Amounts estimate={value} />}
      </Answered>
      <Populations draft={draft} />
      {estimate.value !== undefined && <Command text={estimate.value.command} />}
    </div>
  )
}

function Amounts({ estimate }: { readonly estimate: Estimate }) {
  const { seconds, basis, disk_bytes: disk, free_bytes: free, memory_bytes: memory, notes } = estimate
  return (
    <>
      {disk > free && (
        <Notice tone="bad" title="It does not fit on the disk">
          It needs {bytes(disk)}; {bytes(free)} are free.
        </Notice>
      )}
      <dl className={classes.estimate}>
        <Amount name="Time" value={seconds === null ? 'not known' : `about ${duration(seconds)}`}>
          {basis}
        </Amount>
        <Amount name="Memory" value={bytes(memory)}>
          at its peak, by the learning process
        </Amount>
        <Amount name="Disk" value={bytes(disk)}>
          of {bytes(free)} free
        </Amount>
      </dl>
      <section>
        <h2>Before it starts</h2>
        <ul className={classes.notes}>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </section>
    </>
  )
}

function Command({ text }: { readonly text: string }) {
  return (
    <section>
      <h2>The same as a command</h2>
      <div className={classes.command}>
        <code>{text}</code>
        <CopyText text={text} label="Copy" />
      </div>
    </section>
  )
}

function Amount({
  name,
  value,
  children,
}: {
  readonly name: string
  readonly value: string
  readonly children: ReactNode
}) {
  return (
    <div className={classes.amount}>
      <dt>{name}</dt>
      <dd>
        {value}
        <small>{children}</small>
      </dd>
    </div>
  )
}
