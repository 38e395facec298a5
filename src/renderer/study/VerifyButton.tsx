/** Hashes every file of the study again and checks what was recorded of it. */
import { Button, Modal } from '@mantine/core'
import { useState } from 'react'
import type { Answers } from '../../shared/ipc.ts'
import { ask, useWorkbench, wordsOf } from '../bridge/index.ts'
import { Checks, Failure, Notice } from '../parts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'

type Verdict = Answers['studies.verify'] | string

export function VerifyButton({ studyId }: { readonly studyId: string }) {
  const { bridge } = useWorkbench()
  const [busy, setBusy] = useState(false)
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  const verify = () => {
    setBusy(true)
    ask(bridge, 'studies.verify', { study_id: studyId })
      .then(setVerdict, (error: unknown) => setVerdict(wordsOf(error)))
      .finally(() => setBusy(false))
  }
  return (
    <>
      <Button variant="default" loading={busy} onClick={verify}>
        Verify
      </Button>
      <Modal opened={verdict !== null} onClose={() => setVerdict(null)} title="Verification" size="xl">
        {typeof verdict === 'string' && <Failure title="This could not be verified" message={verdict} />}
        {verdict !== null && typeof verdict !== 'string' && (
          <>
            <Notice
              tone={verdict.ok ? 'good' : 'bad'}
              title={verdict.ok ? 'Everything is as it was recorded.' : 'Something differs from what was recorded.'}
            />
            <Checks
              name="Verification"
              checks={verdict.checks}
              report={{ study: studyId, at: reportPlaces.verification }}
            />
          </>
        )}
      </Modal>
    </>
  )
}
