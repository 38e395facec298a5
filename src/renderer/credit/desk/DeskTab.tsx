/** How does credit spread over several turns? Episodes turn by turn, what they come to, and how concentrated their credit is. */
import { Tabs } from '@mantine/core'
import { useState } from 'react'
import type { TrajectoryList } from '../../../shared/credit.ts'
import { useAnswer } from '../../bridge/index.ts'
import { Answered, EmptyState } from '../../parts/index.ts'
import classes from '../credit.module.css'
import { PlainTable } from '../PlainTable.tsx'
import { chosenOf } from '../source/source-in-view.ts'
import type { TabProps } from '../TabOf.tsx'
import { Concentration } from './Concentration.tsx'
import { episodeTable, summaryTable, taskTable } from './desk-tables.ts'
import { Episode } from './Episode.tsx'
import { PlayForm } from './PlayForm.tsx'

export function DeskTab(props: TabProps) {
  const list = useAnswer('credit.rollouts', { source: props.source })
  return (
    <Answered answer={list} what="Reading the rollouts">
      {(listed) => <Desk key={listed.name} {...props} list={listed} />}
    </Answered>
  )
}

interface DeskProps extends TabProps {
  readonly list: TrajectoryList
}

function Desk({ route, source, list }: DeskProps) {
  const ids = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
  const summary = useAnswer('desk.summary', { source, ...ids })
  const played = summary.value ?? null
  const [opened, open] = useState<string | null>(null)
  const episodes = played !== null || chosenOf(list.rows, route.rollouts).some(({ turns }) => turns > 2)
  return (
    <div className={classes.methods}>
      <PlayForm
        route={route}
        source={played === null ? null : source}
        model={list.model}
        adapter={list.policies[0]?.adapter ?? ''}
        rewardAdapter={list.reward_adapters[0]?.adapter ?? ''}
      />
      <Tabs value={opened ?? (episodes ? 'episodes' : 'tasks')} onChange={open} keepMounted={false}>
        <Tabs.List aria-label="The desk">
          <Tabs.Tab value="episodes">Episodes</Tabs.Tab>
          <Tabs.Tab value="summary">Figures</Tabs.Tab>
          <Tabs.Tab value="turns">Turns</Tabs.Tab>
          <Tabs.Tab value="tasks">Tasks</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="episodes" pt="md">
          {episodes ? <Episodes route={route} source={source} list={list} /> : <NoTurns />}
        </Tabs.Panel>
        <Tabs.Panel value="summary" pt="md">
          <Answered answer={summary} what="Counting">
            {(found) => (found === null ? <NoTurns /> : <PlainTable name="desk-summary" table={summaryTable(found)} />)}
          </Answered>
        </Tabs.Panel>
        <Tabs.Panel value="turns" pt="md">
          <Concentration route={route} source={source} list={list} />
        </Tabs.Panel>
        <Tabs.Panel value="tasks" pt="md">
          <Tasks />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

function NoTurns() {
  return (
    <EmptyState title="These are no rollouts of the desk">
      The desk is a small office world of several turns: the policy checks, is replied to, and at last answers. Play
      episodes here, or choose rollouts of several turns above.
    </EmptyState>
  )
}

/** As many as are sent with their texts at once. */
const mostEpisodes = 64

function Episodes({ route, source, list }: DeskProps) {
  const rows = chosenOf(list.rows, route.rollouts)
  const ids = rows.slice(0, mostEpisodes).map(({ id }) => id)
  const views = useAnswer('credit.trajectories', ids.length === 0 ? null : { source, ids })
  const [chosen, choose] = useState(0)
  return (
    <Answered answer={views} what="Reading the episodes">
      {(read) => {
        const at = Math.min(chosen, read.length - 1)
        const open = read[at]
        return (
          <div className={classes.result}>
            {open !== undefined && <Episode view={open} />}
            <div>
              <PlainTable
                name="desk-episodes"
                table={episodeTable(read)}
                note={`${rows.length > read.length ? `the first ${read.length} of ${rows.length}; ` : ''}a row opens its turns above`}
                selected={at}
                onSelect={choose}
              />
            </div>
          </div>
        )
      }}
    </Answered>
  )
}

function Tasks() {
  const tasks = useAnswer('desk.tasks', { split: 'all', task_seed: 49 })
  return (
    <Answered answer={tasks} what="Making the tasks">
      {(known) => (
        <PlainTable
          name="desk-tasks"
          table={taskTable(known)}
          most={20}
          note={`${known.length} tasks in ${new Set(known.map(({ family }) => family)).size} families, dealt to train, validation and test by family.`}
        />
      )}
    </Answered>
  )
}
