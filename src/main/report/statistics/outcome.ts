/**
 * What PPO did on the held-out test prompts, compared with SFT, as numbers and as one honest sentence in each
 * direction. The learned score rising is never called an improvement; only the rubric says whether the criterion did.
 */
import type { StudyResults } from '../../../shared/study-results.ts'
import { change, decimal, interval, percent, points } from '../number-text.ts'
import { familyBootstrap } from './family-bootstrap.ts'
import { countQuadrants, pairRows } from './quadrants.ts'
import { shareInterval } from './share-interval.ts'

export interface Outcome {
  readonly n: number
  readonly families: number
  readonly sft: {
    readonly success: number
    readonly interval: readonly [number, number] | null
    readonly reward: number
    readonly polite: number
  }
  readonly ppo: {
    readonly success: number
    readonly interval: readonly [number, number] | null
    readonly reward: number
    readonly polite: number
  }
  readonly rewardChange: number
  readonly rewardChangeInterval: readonly [number, number] | null
  /** Rubric successes gained less those lost. */
  readonly rubricChange: number
  /** Of the change in the success rate. */
  readonly rubricChangeInterval: readonly [number, number] | null
  readonly gained: number
  readonly lost: number
  readonly rewardUpRubricLost: number
}

export function heldOutOutcome(results: StudyResults): Outcome {
  const side = (branch: 'sft' | 'ppo') => {
    const { metrics, rows } = results.actor[branch]
    const test = metrics.test
    return {
      success: test.rubric_success,
      interval: shareInterval(test.rubric_success, test.rows),
      reward: test.mean_learned_reward,
      polite: rows.filter((row) => row.split === 'test' && row.rubric.polite).length,
    }
  }
  const [sft, ppo] = [side('sft'), side('ppo')]
  const pairs = pairRows(results.actor.sft.rows, results.actor.ppo.rows).filter((pair) => pair.after.split === 'test')
  const counts = countQuadrants(pairs)
  const moved = (move: 'gained' | 'lost') => counts.up[move] + counts.equal[move] + counts.down[move]
  const worth = { gained: 1, lost: -1, 'passed both': 0, 'failed both': 0 }
  return {
    n: results.actor.ppo.metrics.test.rows,
    families: new Set(pairs.map((pair) => pair.after.family)).size,
    sft,
    ppo,
    rewardChange: ppo.reward - sft.reward,
    rewardChangeInterval: familyBootstrap(
      pairs.map((pair) => ({ family: pair.after.family, value: pair.rewardChange })),
    ),
    rubricChange: ppo.success - sft.success,
    rubricChangeInterval: familyBootstrap(
      pairs.map((pair) => ({ family: pair.after.family, value: worth[pair.rubric] })),
    ),
    gained: moved('gained'),
    lost: moved('lost'),
    rewardUpRubricLost: counts.up.lost,
  }
}

function direction(value: number): 'up' | 'down' | 'unchanged' {
  return value > 0 ? 'up' : value < 0 ? 'down' : 'unchanged'
}

/** "learned reward up 2.10, rubric −4 of 180": the two judges in one breath. */
export function gapName(outcome: Outcome): string {
  const reward = direction(outcome.rewardChange)
  const rewardText =
    reward === 'unchanged'
      ? 'learned reward unchanged'
      : straddlesZero(outcome.rewardChangeInterval)
        ? `learned reward within chance (${change(outcome.rewardChange, 2)})`
        : `learned reward ${reward} ${decimal(Math.abs(outcome.rewardChange), 2)}`
  return `${rewardText}, rubric ${outcome.rubricChange === 0 ? '±0' : change(outcome.rubricChange, 0)} of ${outcome.n}`
}

/**
 * The answer in one or two sentences, chosen by the direction of both changes and by whether resampling whole families
 * could produce them; no outcome is dressed up as another. "Shortcut" is said only where prompts show it.
 */
export function verdictSentence(outcome: Outcome): string {
  const rubric = direction(outcome.rubricChange)
  const doubt = straddlesZero(outcome.rubricChangeInterval) ? `, though by ${noMoreThanChance}` : ''
  const shared =
    outcome.rewardUpRubricLost > 0
      ? ` In ${outcome.rewardUpRubricLost} of ${outcome.n} prompts the reward model pays more for the response that lost the criterion: there the score was gained at the criterion’s expense.`
      : ' No single prompt shows both at once, so this alone is no evidence of a shortcut.'
  if (direction(outcome.rewardChange) !== 'up' || straddlesZero(outcome.rewardChangeInterval)) {
    const reward = rewardThatDidNotRise(outcome)
    if (rubric === 'up')
      return `More responses passed the held-out rubric after PPO${doubt}, although the learned reward that it optimised ${reward}.`
    if (rubric === 'unchanged')
      return `The held-out rubric did not move, and the learned reward that PPO optimised ${reward}.`
    const also = outcome.rewardUpRubricLost > 0 ? shared : ''
    return `PPO helped neither judge: fewer responses passed the held-out rubric${doubt}, and the learned reward that it optimised ${reward}.${also}`
  }
  if (rubric === 'down')
    return `PPO raised the learned reward while fewer responses passed the held-out rubric${doubt === '' ? ': the optimised score and the criterion came apart' : doubt}.${shared}`
  if (rubric === 'up')
    return `Both judges rose: PPO raised the learned reward, and more responses passed the held-out rubric${doubt}.`
  const lost =
    outcome.rewardUpRubricLost > 0
      ? `, and ${outcome.rewardUpRubricLost} of ${outcome.n} prompts lost the criterion while their score rose`
      : ''
  return `PPO raised the learned reward; the held-out rubric did not move. The gain is in the reward model’s score only${lost}.`
}

const noMoreThanChance = 'no more than chance between families can explain'

function rewardThatDidNotRise({ rewardChange, rewardChangeInterval }: Outcome): string {
  if (rewardChange === 0) return 'did not change'
  return straddlesZero(rewardChangeInterval) ? `moved by ${noMoreThanChance}` : 'fell'
}

/** Success before and after with n and intervals, and both changes with theirs. */
export function evidenceSentences(outcome: Outcome): string[] {
  const side = (name: string, branch: Outcome['sft']) =>
    `${name} ${branch.success}/${outcome.n} (${percent(branch.success / outcome.n)}, 95% Wilson interval ${writtenShares(branch.interval)})`
  const doubt = straddlesZero(outcome.rubricChangeInterval)
  return [
    `Rubric success on ${outcome.n} held-out test responses: ${side('SFT', outcome.sft)}, ${side('PPO', outcome.ppo)}; ${outcome.gained} gained, ${outcome.lost} lost.`,
    `Mean learned reward (predicted simulated preference): SFT ${decimal(outcome.sft.reward)}, PPO ${decimal(outcome.ppo.reward)}, change ${change(outcome.rewardChange)}` +
      ` ${intervalOverFamilies(outcome.rewardChangeInterval, outcome.families, (bounds) => interval(bounds))}.`,
    `Change of the rubric’s success rate: ${points(outcome.rubricChange / outcome.n)} ${intervalOverFamilies(outcome.rubricChangeInterval, outcome.families, writtenPoints)}.` +
      (doubt ? ' The interval contains zero: this test cannot tell the change from none.' : ''),
    `In ${outcome.rewardUpRubricLost} of ${outcome.n} prompts the learned reward rose while the rubric’s success was lost. Polite responses among those recognised: SFT ${outcome.sft.polite}, PPO ${outcome.ppo.polite} of ${outcome.n}.`,
  ]
}

function straddlesZero(bounds: readonly [number, number] | null): boolean {
  return bounds !== null && bounds[0] <= 0 && bounds[1] >= 0
}

function writtenShares(bounds: readonly [number, number] | null): string {
  return bounds === null ? 'not defined' : `[${percent(bounds[0])}, ${percent(bounds[1])}]`
}

function writtenPoints(bounds: readonly [number, number]): string {
  return `[${points(bounds[0])}, ${points(bounds[1])}]`
}

function intervalOverFamilies(
  bounds: readonly [number, number] | null,
  families: number,
  write: (bounds: readonly [number, number]) => string,
): string {
  return bounds === null
    ? '(too few families for an interval)'
    : `(95% bootstrap over ${families} families ${write(bounds)})`
}
