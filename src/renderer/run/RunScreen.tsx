/** One run: is it learning, and is it healthy? Follows the run while it lasts; the open tab outlives a reload. */
import { Group, Tabs } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import type { RunView } from '../../shared/ipc.ts'
import { useAnswer } from '../bridge/index.ts'
import { stageName } from '../home/run-words.ts'
import { Answered, Notice, Screen } from '../parts/index.ts'
import { Link, plainCredit } from '../routes/index.ts'
import { Samples } from '../samples/Samples.tsx'
import { RunLattice } from '../tokens/RunLattice.tsx'
import { ConfigTab } from './ConfigTab.tsx'
import { CurvesTab } from './CurvesTab.tsx'
import { HealthStrip } from './HealthStrip.tsx'
import { LogTab } from './LogTab.tsx'
import { ProvenanceTab } from './ProvenanceTab.tsx'
import { ResumeCheckPanel } from './ResumeCheckPanel.tsx'
import { RunHeader } from './RunHeader.tsx'

export function RunScreen({ runId }: { readonly runId: string }) {
  const answer = useAnswer('runs.show', { run_id: runId })
  const title = answer.value === undefined ? 'Run' : stageName(answer.value.run)
  return (
    <Screen
      title={title}
      question={
        answer.value?.run.purpose === 'resume-check'
          ? 'Does stopping and going on change nothing?'
          : 'Is it learning, and is it healthy?'
      }
      actions={<RunLinks view={answer.value} runId={runId} />}
    >
      <Answered answer={answer} what="Reading the run">
        {(view) => <RunBody view={view} />}
      </Answered>
    </Screen>
  )
}

function RunLinks({ view, runId }: { readonly view: RunView | undefined; readonly runId: string }) {
  return (
    <Group gap="md">
      {view?.study_id != null && <Link to={{ screen: 'study', study: view.study_id }}>Its study</Link>}
      {view !== undefined && <CreditLink view={view} />}
      <Link to={{ screen: 'compare', runs: [runId] }}>Compare with other runs</Link>
    </Group>
  )
}

/** To the questions that can be asked of what this run sampled, or to the answer that it is. */
function CreditLink({ view: { run, iterations, group } }: { readonly view: RunView }) {
  if (run.stage === 'credit-audit' || run.stage === 'credit-datc' || run.stage === 'credit-datc-study') {
    const tab = run.stage === 'credit-audit' ? 'shares' : 'datc'
    return <Link to={{ ...plainCredit, tab, result: run.run_id }}>Its result</Link>
  }
  const last = (group?.iterations ?? iterations).at(-1)?.iteration
  if (last === undefined) return null
  const source = { kind: 'run' as const, run_id: run.run_id, iterations: [last, last] as [number, number] }
  return <Link to={{ ...plainCredit, tab: 'tokens', source }}>Credit of its rollouts</Link>
}

function RunBody({ view }: { readonly view: RunView }) {
  const { run, study_id: study } = view
  // Its updates are compared and not kept: it has a verdict in place of curves.
  const check = run.purpose === 'resume-check' && study !== null
  const learns = run.total > 0 || view.updates.length > 0 || view.ppo_updates.length > 0
  const sampled = run.stage === 'ppo' && run.purpose === 'main' && study !== null
  const tabs = [check ? 'verdict' : 'curves', ...(sampled ? ['samples', 'lattice'] : []), 'config', 'provenance', 'log']
  const [kept, keep] = useSessionStorage({
    key: 'recompense.run.tab',
    defaultValue: 'curves',
    getInitialValueInEffect: false,
  })
  const tab = tabs.includes(kept) ? kept : tabs[0]!
  return (
    <>
      <RunHeader view={view} />
      {run.error !== null && (
        <Notice tone="bad" title="The run failed">
          {run.error}
        </Notice>
      )}
      {learns && !check && <HealthStrip view={view} />}
      <Tabs value={tab} onChange={(value) => keep(value ?? tabs[0]!)} keepMounted={false}>
        <Tabs.List>
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {name[0]!.toUpperCase() + name.slice(1)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {check ? (
          <Tabs.Panel value="verdict" pt="md">
            <ResumeCheckPanel view={view} study={study} />
          </Tabs.Panel>
        ) : (
          <Tabs.Panel value="curves">
            <CurvesTab view={view} learns={learns} />
          </Tabs.Panel>
        )}
        {sampled && (
          <>
            <Tabs.Panel value="samples" pt="md">
              <Samples studyId={study} />
            </Tabs.Panel>
            <Tabs.Panel value="lattice" pt="md">
              <RunLattice studyId={study} />
            </Tabs.Panel>
          </>
        )}
        <Tabs.Panel value="config">
          <ConfigTab view={view} />
        </Tabs.Panel>
        <Tabs.Panel value="provenance">
          <ProvenanceTab view={view} />
        </Tabs.Panel>
        <Tabs.Panel value="log">
          <LogTab runId={run.run_id} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
