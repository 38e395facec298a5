/** A place that needs a study, before one is chosen. */
import { Button, Stack } from '@mantine/core'
import { useAnswer } from '../bridge/index.ts'
import { Answered, EmptyState, Screen, Status } from '../parts/index.ts'
import { go, Link } from '../routes/index.ts'

const titles = { samples: 'Samples', probes: 'Probes', reports: 'Report' } as const

export function ChooseStudy({ screen }: { readonly screen: keyof typeof titles }) {
  const studies = useAnswer('studies.list', {})
  return (
    <Screen title={titles[screen]} question="Of which study?">
      <Answered answer={studies}>
        {(listed) =>
          listed.length === 0 ? (
            <EmptyState
              title="No study yet"
              action={<Button onClick={() => go({ screen: 'new', wizard: 'data', study: null })}>New study</Button>}
            >
              A study fills this screen: its rollouts, its probes and its report.
            </EmptyState>
          ) : (
            <Stack gap={6}>
              {listed.slice(0, 50).map((study) => (
                <Link key={study.study_id} to={{ screen, study: study.study_id }}>
                  {study.name} · seed {study.seed} <Status status={study.status} />
                </Link>
              ))}
            </Stack>
          )
        }
      </Answered>
    </Screen>
  )
}
