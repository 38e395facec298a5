/** The lattice inside a run: the newest rollout, or any other. */
import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { decimal } from '../../main/report/number-text.ts'
import { useAnswer } from '../bridge/index.ts'
import { Answered, EmptyState } from '../parts/index.ts'
import { Lattice } from './Lattice.tsx'

export function RunLattice({ studyId }: { readonly studyId: string }) {
  const list = useAnswer('rollouts.list', { study_id: studyId })
  const [chosen, choose] = useState<string | null>(null)
  const rollouts = list.value ?? []
  const id = chosen ?? rollouts.at(-1)?.rollout_id ?? null
  const view = useAnswer('rollouts.show', id === null ? null : { study_id: studyId, rollout_id: id })
  return (
    <Answered answer={list} what="Reading the responses">
      {(listed) =>
        listed.length === 0 ? (
          <EmptyState title="No rollout yet">
            Each sampled response appears here token by token with the first PPO iteration.
          </EmptyState>
        ) : (
          <>
            <NativeSelect
              label="Rollout"
              maw={420}
              mb="sm"
              value={id ?? ''}
              onChange={(event) => choose(event.currentTarget.value)}
              data={listed.toReversed().map((one) => ({
                value: one.rollout_id,
                label: `iteration ${one.iteration} · ${one.prompt_id} · learned reward ${decimal(one.learned_reward_score, 2)}`,
              }))}
            />
            <Answered answer={view} what="Reading the tokens">
              {(shown) => <Lattice studyId={studyId} view={shown} others={listed} />}
            </Answered>
          </>
        )
      }
    </Answered>
  )
}
