/** Who got the credit, and does it add up? One source of rollouts, several questions about it, each with its address. */
import { Button, Tabs } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { useAnswer } from '../bridge/index.ts'
import { Answered, EmptyState, Screen } from '../parts/index.ts'
import { type CreditRoute, type CreditTab, creditTabs, go, replace } from '../routes/index.ts'
import { creditPlaces } from '../shell/places.ts'
import classes from './credit.module.css'
import { StudyPanel } from './datc/StudyPanel.tsx'
import { ImportDialog } from './source/ImportDialog.tsx'
import { SourceBar } from './source/SourceBar.tsx'
import { sourceInView } from './source/source-in-view.ts'
import { TabOf } from './TabOf.tsx'

export function CreditScreen({ route }: { readonly route: CreditRoute }) {
  const sources = useAnswer('credit.sources', {})
  const [importing, dialog] = useDisclosure()
  useSourceOfResult(route)
  const here = creditPlaces.find(({ tab }) => tab === route.tab)
  return (
    <Screen
      title="Credit"
      question="Who got the credit, and does it add up?"
      actions={
        <Button variant="default" onClick={dialog.open}>
          Import rollouts
        </Button>
      }
    >
      <Answered answer={sources} what="Looking for rollouts">
        {(known) => {
          const source = sourceInView(known, route.source)
          return (
            <>
              {source !== null && <SourceBar sources={known} source={source} route={route} />}
              <Tabs
                value={route.tab}
                keepMounted={false}
                onChange={(tab) => tab !== null && replace({ ...route, tab: tab as CreditTab })}
              >
                <Tabs.List aria-label="Questions of credit">
                  {creditTabs.map((tab) => (
                    <Tabs.Tab key={tab} value={tab}>
                      {creditPlaces.find((place) => place.tab === tab)?.name ?? tab}
                    </Tabs.Tab>
                  ))}
                </Tabs.List>
                <Tabs.Panel value={route.tab} pt="md">
                  <h2 className={classes.question}>{here?.question}</h2>
                  {source === null ? (
                    <>
                      <NoRollouts onImport={dialog.open} />
                      {route.tab === 'datc' && <StudyPanel route={route} list={null} />}
                    </>
                  ) : (
                    <TabOf route={route} source={source} />
                  )}
                </Tabs.Panel>
              </Tabs>
            </>
          )
        }}
      </Answered>
      <ImportDialog
        opened={importing}
        onClose={dialog.close}
        onKept={({ sha256 }) => {
          dialog.close()
          go({ ...route, source: { kind: 'file', sha256 }, rollouts: [], result: null })
        }}
      />
    </Screen>
  )
}

/** An address that names a kept result and no rollouts means the result's own. */
function useSourceOfResult(route: CreditRoute): void {
  const unsettled = route.source === null && route.result !== null
  const { value: results } = useAnswer('credit.results', unsettled ? {} : null)
  const named = unsettled ? results?.find(({ run_id }) => run_id === route.result) : undefined
  useEffect(() => {
    if (named !== undefined) replace({ ...route, source: named.source, rollouts: [...(named.ids ?? [])] })
  }, [named, route])
}

function NoRollouts({ onImport }: { readonly onImport: () => void }) {
  return (
    <EmptyState
      title="No rollout yet"
      action={
        <div className={classes.row}>
          <Button onClick={() => go({ screen: 'new', wizard: 'data', study: null })}>New study</Button>
          <Button variant="default" onClick={onImport}>
            Import rollouts
          </Button>
        </div>
      }
    >
      A run that samples (PPO and its kin) records its rollouts with every number of every token; other trainers’ dumps
      can be read in. Either fills this screen.
    </EmptyState>
  )
}
