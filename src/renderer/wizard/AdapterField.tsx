/** An adapter folder: of a study in this home, or any other. */
import { NativeSelect } from '@mantine/core'
import { useMemo } from 'react'
import { useAnswer } from '../bridge/index.ts'
import { PathField } from '../parts/index.ts'

interface Props {
  readonly label: string
  readonly description: string
  readonly stage: 'sft' | 'reward'
  readonly value: string
  readonly onChange: (folder: string) => void
}

export function AdapterField({ label, description, stage, value, onChange }: Props) {
  const { value: info } = useAnswer('app.info', {})
  const { value: runs } = useAnswer('runs.list', {})
  const made = useMemo(() => {
    if (info === undefined) return []
    const between = info.home.includes('\\') ? '\\' : '/'
    return (runs ?? []).flatMap((run) => {
      if (run.stage !== stage || run.purpose !== 'main' || run.status !== 'finished' || run.study_id === null) return []
      const folder = [info.home, 'studies', run.study_id, 'runs', run.run_id, 'adapter'].join(between)
      return [{ value: folder, label: `${run.study_name ?? run.study_id} · ${run.run_id}` }]
    })
  }, [info, runs, stage])
  return (
    <>
      <PathField label={label} description={description} what="folder" value={value} onChange={onChange} />
      {made.length > 0 && (
        <NativeSelect
          aria-label={`${label}: from a study`}
          value={made.some((option) => option.value === value) ? value : ''}
          data={[{ value: '', label: 'or from a study of this home…' }, ...made]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </>
  )
}
