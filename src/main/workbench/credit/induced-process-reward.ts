/**
 * The induced process reward of stored trajectories, group by group: its figures, or the refusal with what would make
 * it readable. Of each rollout only its token ids are held.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { ProcessReward, ProcessRewardGroup, ProcessRewardToken } from '../../../shared/credit-estimates.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { absenceOf } from '../../engine/credit/estimators/estimate.ts'
import { type InducedProcessReward, inducedProcessReward } from '../../engine/credit/process-reward.ts'
import { mean } from '../../engine/study/statistics.ts'

interface Kept {
  readonly id: string
  readonly ids: Float64Array
  readonly trained: Uint8Array
  readonly prompt: string
  readonly outcome: number
  /** Turn and number of tokens of each turn in `ids`. */
  readonly turns: readonly (readonly [number, number])[]
}
interface KeptGroup {
  readonly graded: Kept[]
  abstained: number
}

const remedies = {
  alone: 'two graded rollouts of a prompt at least: draw groups',
  apart:
    're-roll at prefixes the sampler never revisited: draw several continuations from a prefix of each rollout, and keep them in its group',
  constant: 'outcomes that differ within a group: more rollouts of a prompt, or prompts of which some are solved',
} as const

/**
 * @param withTokens also give the process reward of every trained token; memory then grows with the file
 * @throws BadInput naming the row and turn whose token ids are missing
 */
export async function processReward(
  trajectories: AsyncIterable<Trajectory> | Iterable<Trajectory>,
  file: string,
  withTokens = false,
): Promise<ProcessReward> {
  const groups = await gather(trajectories, file)
  const tokens: { id: string; tokens: ProcessRewardToken[] }[] = []
  const results = [...groups].map(([name, { graded, abstained }]) => {
    if (graded.length === 0) return ungraded(name, abstained)
    const induced = inducedProcessReward(graded)
    if (withTokens)
      tokens.push(...graded.map((rollout, i) => ({ id: rollout.id, tokens: tokensOf(rollout, induced, i) })))
    return groupFigures(name, graded.length, abstained, induced)
  })
  const measured = results.filter(({ positions }) => positions > 0)
  const killed = results.filter((group) => group.killed)
  return {
    groups: results,
    killed_groups: killed.length,
    verdict: killed.length === 0 ? 'informative' : killed.length === results.length ? 'refused' : 'partial',
    remedy: remedyFor(killed),
    abstained: results.reduce((sum, { abstained }) => sum + abstained, 0),
    mean_zero_reward_fraction:
      measured.length === 0 ? null : mean(measured.map(({ zero_reward_fraction }) => zero_reward_fraction)),
    max_informative_fraction:
      measured.length === 0
        ? null
        : measured.reduce((most, { informative_fraction }) => Math.max(most, informative_fraction), 0),
    formula:
      'r_t = q(y_≤t) − q(y_<t);  q(prefix) = mean outcome of the rollouts that share it; the last token takes its own R',
    notes: notesOf(groups),
    ...(withTokens && { trajectories: tokens }),
  }
}

function groupFigures(
  group: string,
  rollouts: number,
  abstained: number,
  induced: InducedProcessReward,
): ProcessRewardGroup {
  const { constant, informativeFraction } = induced
  const reason =
    rollouts === 1
      ? 'only one rollout is graded: every prefix is its own'
      : constant
        ? 'every rollout has the same outcome: the process reward is 0 everywhere'
        : informativeFraction === 0
          ? 'no two rollouts share their first token: every prefix is alone'
          : null
  return {
    group,
    rollouts,
    abstained,
    positions: induced.trainedPositions,
    root_value: induced.root,
    longest_common_prefix: induced.longestCommonPrefix,
    mean_divergence_depth: mean(induced.divergenceDepths),
    informative_fraction: informativeFraction,
    zero_reward_fraction: induced.zeroFraction,
    killed: induced.killed,
    reason: induced.killed ? reason : null,
  }
}

function ungraded(group: string, abstained: number): ProcessRewardGroup {
  return {
    group,
    rollouts: 0,
    abstained,
    positions: 0,
    root_value: null,
    longest_common_prefix: 0,
    mean_divergence_depth: null,
    informative_fraction: 0,
    zero_reward_fraction: 0,
    killed: true,
    reason: 'no rollout is graded',
  }
}

function remedyFor(killed: readonly ProcessRewardGroup[]): string | null {
  if (killed.length === 0) return null
  const alone = killed.filter(({ rollouts }) => rollouts < 2)
  const together = killed.filter(({ rollouts }) => rollouts >= 2)
  const apart = together.filter(({ informative_fraction }) => informative_fraction === 0)
  return [
    ...(alone.length > 0 ? [remedies.alone] : []),
    ...(apart.length > 0 ? [remedies.apart] : []),
    ...(apart.length < together.length ? [remedies.constant] : []),
  ].join('; ')
}

async function gather(
  trajectories: AsyncIterable<Trajectory> | Iterable<Trajectory>,
  file: string,
): Promise<Map<string, KeptGroup>> {
  const groups = new Map<string, KeptGroup>()
  const prompts = new Map<string, string>()
  for await (const trajectory of trajectories) {
    const group = groups.get(trajectory.group) ?? { graded: [], abstained: 0 }
    groups.set(trajectory.group, group)
    if (absenceOf(trajectory) !== null || trajectory.reward === null) group.abstained += 1
    else group.graded.push(keep(trajectory, trajectory.reward, file, prompts))
  }
  return groups
}

/** What came before the first action only has to be told apart: equal prompts share one short name. */
function keep(trajectory: Trajectory, outcome: number, file: string, prompts: Map<string, string>): Kept {
  const { id, turns } = trajectory
  const first = turns.findIndex(({ role }) => role === 'assistant')
  const last = turns.findLastIndex(({ role }) => role === 'assistant')
  if (first === -1) throw new BadInput(file, 'has no assistant turn', `row ${id}`)
  const asked = JSON.stringify(turns.slice(0, first).map(({ role, token_ids: ids, text }) => [role, ids ?? text]))
  const prompt = prompts.get(asked) ?? String(prompts.size)
  prompts.set(asked, prompt)
  const ids: number[] = []
  const trained: number[] = []
  const lengths: (readonly [number, number])[] = []
  turns.slice(first, last + 1).forEach(({ role, token_ids: own }, k) => {
    if (own === undefined) {
      const problem = `process-reward needs token_ids in turns[${first + k}]; import the file with --tokenizer DIR`
      throw new BadInput(file, problem, `row ${id}`)
    }
    lengths.push([first + k, own.length])
    for (const token of own) {
      ids.push(token)
      trained.push(role === 'assistant' ? 1 : 0)
    }
  })
  return { id, outcome, prompt, ids: Float64Array.from(ids), trained: Uint8Array.from(trained), turns: lengths }
}

function tokensOf({ turns, trained }: Kept, { rewards, values, counts }: InducedProcessReward, i: number) {
  const places = turns.flatMap(([turn, tokens]) => Array.from({ length: tokens }, (_, index) => ({ turn, index })))
  return places.flatMap((place, t): ProcessRewardToken[] =>
    trained[t] === 0
      ? []
      : [{ ...place, reward: rewards[i]![t]!, value: values[i]![t + 1]!, count: counts[i]![t + 1]! }],
  )
}

function notesOf(groups: ReadonlyMap<string, KeptGroup>): string[] {
  const mixed = [...groups].filter(([, { graded }]) => new Set(graded.map(({ prompt }) => prompt)).size > 1)
  if (mixed.length === 0) return []
  const names = mixed.map(([name]) => name)
  return [
    `${mixed.length} groups (first ${names[0]}) hold rollouts of different prompts, which share no prefix: a group is rollouts of one prompt`,
  ]
}
