/** Do shared prefixes say anything about single tokens? Killed groups with their numbers and the way out; others as trees. */
import { Switch } from '@mantine/core'
import { useMemo, useState } from 'react'
import { decimal, percent } from '../../../main/report/number-text.ts'
import type { ProcessReward, ProcessRewardGroup } from '../../../shared/credit-estimates.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import { useAnswer } from '../../bridge/index.ts'
import { Answered, Notice } from '../../parts/index.ts'
import { counted } from '../../words/index.ts'
import classes from '../credit.module.css'
import { PlainTable } from '../PlainTable.tsx'
import { Refusal } from '../Refusal.tsx'
import type { TabProps } from '../TabOf.tsx'
import { TokenizerHint, TurnTexts } from '../tokens/TurnTexts.tsx'
import { killedWords } from './killed-words.ts'
import { PrefixTree } from './PrefixTree.tsx'
import { prefixTree } from './prefix-tree.ts'
import { processTable } from './process-table.ts'

export function ProcessTab({ route, source }: TabProps) {
  const ids = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
  const answer = useAnswer('credit.process-reward', { source, ...ids })
  return (
    <Answered answer={answer} what="Comparing prefixes">
      {(reward) => <Reading reward={reward} source={source} />}
    </Answered>
  )
}

function Reading({ reward, source }: { readonly reward: ProcessReward; readonly source: CreditSource }) {
  const [only, showOnly] = useState(false)
  const [open, setOpen] = useState<string | null>(null)
  const groups = only ? reward.groups.filter(({ killed }) => !killed) : reward.groups
  const table = useMemo(() => processTable({ ...reward, groups }), [reward, groups])
  const at = groups.findIndex(({ group }) => group === open)
  return (
    <div className={classes.result}>
      <Verdict reward={reward} />
      {reward.killed_groups > 0 && reward.killed_groups < reward.groups.length && (
        <Switch
          size="xs"
          label="only groups that branch"
          checked={only}
          onChange={(event) => showOnly(event.currentTarget.checked)}
        />
      )}
      <PlainTable
        name="process-reward"
        table={table}
        most={100}
        note={`${counted(reward.groups.length, 'group')}, ${reward.killed_groups} killed. A group opens its tree.`}
        selected={at}
        onSelect={(row) => setOpen(groups[row]?.group ?? null)}
      />
      {open !== null && <GroupTree source={source} group={open} />}
      <p className={classes.caption}>
        {reward.formula}
        {reward.notes.map((note) => `; ${note}`)}
      </p>
    </div>
  )
}

function Verdict({ reward }: { readonly reward: ProcessReward }) {
  const { groups, killed_groups: killed, remedy } = reward
  if (reward.verdict === 'refused') {
    return (
      <Refusal
        title="no process reward can be read off these rollouts"
        reason={killedWords(groups)}
        numbers={{
          'groups killed': killed,
          'divergence depth, mean: the first token that a rollout shares with no other, counted from 1':
            meanDepth(groups),
          'positions where two rollouts are still together, in the best group': percent(
            reward.max_informative_fraction ?? 0,
          ),
          'positions whose process reward is exactly 0, mean over groups': percent(
            reward.mean_zero_reward_fraction ?? 0,
          ),
          'ungraded rollouts, left out': reward.abstained,
        }}
        remedy={remedy ?? undefined}
      />
    )
  }
  return (
    <Notice
      tone={reward.verdict === 'informative' ? 'good' : 'warn'}
      title={
        reward.verdict === 'informative'
          ? '✓ Every group branches where a reward can be read'
          : `Partial: ${killed} of ${groups.length} groups are killed`
      }
    >
      {killed === 0 ? '' : `${killedWords(groups)} `}Mean divergence depth {decimal(meanDepth(groups), 2)}: the first
      token that a rollout shares with no other, counted from 1. In the best group two rollouts or more are still
      together at {percent(reward.max_informative_fraction)} of the positions. The process reward is exactly 0 at{' '}
      {percent(reward.mean_zero_reward_fraction)} of a group’s positions, in the mean over groups.
      {remedy === null ? '' : ` What to do: ${remedy}.`}
    </Notice>
  )
}

function meanDepth(groups: readonly ProcessRewardGroup[]): number {
  const depths = groups.flatMap(({ mean_divergence_depth: depth }) => (depth === null ? [] : [depth]))
  return depths.length === 0 ? 0 : depths.reduce((sum, depth) => sum + depth, 0) / depths.length
}

function GroupTree({ source, group }: { readonly source: CreditSource; readonly group: string }) {
  const list = useAnswer('credit.rollouts', { source })
  const ids = (list.value?.rows ?? []).filter((row) => row.group === group).map(({ id }) => id)
  const views = useAnswer('credit.trajectories', ids.length === 0 ? null : { source, ids: ids.slice(0, 64) })
  return (
    <section aria-label={`Group ${group}`}>
      <h3>Group {group}</h3>
      <Answered answer={views} what="Reading the rollouts">
        {(read) => (
          <>
            <TokenizerHint views={read} />
            <PrefixTree root={prefixTree(read)} group={group} />
            {read.map((view) => (
              <TurnTexts key={view.trajectory.id} view={view} named />
            ))}
          </>
        )}
      </Answered>
      <p className={classes.caption}>
        Mean reward of what lies below each stretch of shared tokens, coloured against the group’s mean. Grey text was
        observed, not said.
      </p>
    </section>
  )
}
