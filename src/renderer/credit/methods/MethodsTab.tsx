/** Ways of assigning credit on the same tokens: which can be, where they agree, and where they differ most. */
import { Checkbox } from '@mantine/core'
import { useMemo } from 'react'
import type { MethodFacts, TrajectoryList } from '../../../shared/credit.ts'
import { useAnswer } from '../../bridge/index.ts'
import { Answered, EmptyState, Notice } from '../../parts/index.ts'
import { count } from '../../words/index.ts'
import classes from '../credit.module.css'
import type { TabProps } from '../TabOf.tsx'
import { ComparisonView } from './ComparisonView.tsx'
import { useKeptMethods, useKeptSettings } from './kept-choice.ts'
import { MethodSettings, type SettingChanges } from './MethodSettings.tsx'
import { absentFields, firstMethods } from './method-choice.ts'

export function MethodsTab({ route, source }: TabProps) {
  const methods = useAnswer('credit.methods', {})
  const list = useAnswer('credit.rollouts', { source })
  return (
    <Answered answer={methods} what="Reading the methods">
      {(known) => (
        <Answered answer={list} what="Reading the rollouts">
          {(listed) => <Compared known={known} list={listed} route={route} source={source} />}
        </Answered>
      )}
    </Answered>
  )
}

interface ComparedProps extends TabProps {
  readonly known: readonly MethodFacts[]
  readonly list: TrajectoryList
}

function Compared({ known, list, route, source }: ComparedProps) {
  const [kept, keep] = useKeptMethods()
  const [settings, setSettings] = useKeptSettings()
  const chosen = useMemo(() => (kept.length > 0 ? kept : firstMethods(known, list)), [kept, known, list])
  const facts = known.filter(({ name }) => chosen.some((label) => label.split(':')[0] === name))
  const used = useMemo(() => usedSettings(facts, settings), [facts, settings])
  const ids = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
  const answer = useAnswer(
    'credit.compare',
    chosen.length === 0 ? null : { source, ...ids, methods: [...chosen], settings: used },
  )
  const toggle = (name: string) =>
    keep(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  return (
    <div className={classes.methods}>
      <div>
        <MethodList known={known} list={list} chosen={chosen} onToggle={toggle} />
        <MethodSettings methods={facts} changes={settings} onChange={setSettings} />
      </div>
      <div className={classes.result}>
        {chosen.length === 0 ? (
          <EmptyState title="No method chosen">Marked methods are set side by side on the same tokens.</EmptyState>
        ) : (
          <Answered answer={answer} what="Estimating">
            {({ comparison, refused }) => (
              <>
                {refused.map(({ label, problem, remedy }) => (
                  <Notice key={label} tone="warn" title={`${label}: refused`}>
                    {problem}
                    {remedy !== null && <>. {remedy}</>}
                  </Notice>
                ))}
                {comparison !== null && <ComparisonView comparison={comparison} route={route} source={source} />}
              </>
            )}
          </Answered>
        )}
      </div>
    </div>
  )
}

/** Only what a chosen method reads; the others keep their place for later. */
function usedSettings(methods: readonly MethodFacts[], changes: SettingChanges): SettingChanges {
  const read = new Set(methods.flatMap(({ settings }) => settings.map(({ name }) => name)))
  return Object.fromEntries(Object.entries(changes).filter(([name]) => read.has(name)))
}

interface ListProps {
  readonly known: readonly MethodFacts[]
  readonly list: TrajectoryList
  readonly chosen: readonly string[]
  readonly onToggle: (name: string) => void
}

function MethodList({ known, list, chosen, onToggle }: ListProps) {
  return (
    <fieldset className={classes.methodList}>
      <legend>Methods</legend>
      {known.map((method) => {
        const absent = absentFields(method, list)
        return (
          <Checkbox
            key={method.name}
            size="xs"
            checked={chosen.includes(method.name)}
            onChange={() => onToggle(method.name)}
            label={method.name}
            description={
              absent.length === 0
                ? method.formula
                : `needs ${absent.map(({ name, rows }) => `${name} (in ${count(rows)} of ${count(list.rows.length)})`).join(', ')}`
            }
          />
        )
      })}
    </fieldset>
  )
}
