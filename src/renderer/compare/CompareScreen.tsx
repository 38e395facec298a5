/** What changed, and did it matter? Up to eight runs: what differs in their settings, their curves, their figures. */
import { useSessionStorage } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { useAnswer } from '../bridge/index.ts'
import { Answered, EmptyState, Loading, Notice, Screen } from '../parts/index.ts'
import { go } from '../routes/index.ts'
import { ChosenRuns } from './ChosenRuns.tsx'
import { ComparedCurves } from './ComparedCurves.tsx'
import { comparedMeasures } from './compared.ts'
import { FiguresTable } from './FiguresTable.tsx'
import { SettingsTable } from './SettingsTable.tsx'
import { most, useRunViews } from './use-run-views.ts'

export function CompareScreen({ runIds }: { readonly runIds: readonly string[] }) {
  const ids = runIds.slice(0, most)
  const runs = useAnswer('runs.list', {})
  const { views, loading, problems } = useRunViews(ids)
  const [pinned, pin] = useSessionStorage<string | null>({
    key: 'recompense.compare.baseline',
    defaultValue: null,
    getInitialValueInEffect: false,
  })
  const [step, setStep] = useState<number | null>(null)
  const baseline = Math.max(
    0,
    views.findIndex(({ run }) => run.run_id === pinned),
  )
  // Runs that cannot be read are left out of `views`, so that the memory below is by what was read.
  const key = views.map(({ run }) => `${run.run_id} ${run.updates}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the runs and their lengths
  const measures = useMemo(() => comparedMeasures(views), [key])
  const choose = (next: readonly string[]) => go({ screen: 'compare', runs: next })
  return (
    <Screen title="Compare" question="What changed, and did it matter?">
      <Answered answer={runs} what="Reading the runs">
        {(listed) => (
          <>
            <ChosenRuns
              ids={ids}
              listed={listed}
              baseline={views[baseline]?.run.run_id ?? null}
              onChoose={choose}
              onPin={pin}
            />
            {runIds.length > most && (
              <Notice tone="warn">The first {most} runs are compared; more cannot be told apart.</Notice>
            )}
            {problems.map((problem) => (
              <Notice key={problem} tone="bad" title="A run could not be read">
                {problem}
              </Notice>
            ))}
            {loading && <Loading what="Reading the runs" />}
            {views.length === 0 && !loading && (
              <EmptyState title="No run chosen">
                Add two to eight runs above: what differs in their settings will stand here first, then their curves
                over each other, then their figures.
              </EmptyState>
            )}
            {views.length > 0 && (
              <>
                <SettingsTable views={views} />
                <ComparedCurves views={views} measures={measures} />
                <FiguresTable views={views} measures={measures} baseline={baseline} step={step} onStep={setStep} />
              </>
            )}
          </>
        )}
      </Answered>
    </Screen>
  )
}
