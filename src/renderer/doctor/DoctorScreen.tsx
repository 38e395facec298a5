/** Can this machine do it? */
import { Button } from '@mantine/core'
import { useAnswer } from '../bridge/index.ts'
import { Answered, Checks, CopyText, Notice, Screen } from '../parts/index.ts'

export default function DoctorScreen() {
  const doctor = useAnswer('doctor.run', {})
  const text = (doctor.value?.checks ?? [])
    .map(({ name, status, detail }) => `${status}\t${name}\t${detail}`)
    .join('\n')
  return (
    <Screen
      title="Doctor"
      question="Can this machine do it?"
      actions={
        <>
          <CopyText text={text} label="Copy" />
          <Button variant="default" loading={doctor.loading} onClick={doctor.refresh}>
            Check again
          </Button>
        </>
      }
    >
      <Answered answer={doctor} what="Checking">
        {({ ok, checks }) => (
          <div style={{ maxWidth: 900, display: 'grid', gap: 14 }}>
            <Notice
              tone={ok ? 'good' : 'bad'}
              title={ok ? '✓ This machine can do it.' : '✕ Something has to be put right first.'}
            />
            <Checks name="Checks" checks={checks} />
          </div>
        )}
      </Answered>
    </Screen>
  )
}
