/**
 * What direction-aware token credit costs over GRPO: whole training iterations of both, sampling, scoring and updating
 * included, in turn on the same shapes.
 */
import type { GroupStage } from '../../../shared/group-run.ts'
import { minimumPreset } from '../../../shared/training-config.ts'
import { groupConfig } from '../../workbench/study-config.ts'
import type { Moments } from '../credit/datc/policy-moments.ts'
import { sampleAndCredit, takeUpdate } from '../learn/group-iteration.ts'
import { Learner } from '../learn/learner.ts'
import { RewardJudge } from '../learn/reward-judge.ts'
import { copyRole } from '../learn/role.ts'
import { singleTurnSource } from '../learn/single-turn-source.ts'
import { PhaseClock } from '../learn/stage-run.ts'
import { readsGradients, readsMoments, strategyFor } from '../learn/strategies/strategy-for.ts'
import { TorchRandom } from '../random/torch-random.ts'
import type { Bench } from './bench.ts'
import { type Figure, gated } from './figure.ts'
import { cpuSecondsOf, interleave, partOf, type Side, secondsOf, timed } from './measure.ts'
import { PPO_PROMPTS, PROMPT, RESPONSE } from './presets.ts'

const GROUP = 8
/** The lower end of what the method's paper reports, in percent. */
const REPORTED = 5.7

export async function datcOverhead(bench: Bench): Promise<Figure> {
  const { note, repeat } = bench.options
  note('measuring datc overhead')
  const { grpo, datc } = await interleave(
    { grpo: iteration(bench, 'grpo'), datc: iteration(bench, 'datc') },
    { runs: repeat },
  )
  const percent = (dearer: number, plain: number) => 100 * (dearer / plain - 1)
  const value = percent(secondsOf(datc, 'min'), secondsOf(grpo, 'min'))
  const phases = ['generation', 'judge', 'reference', 'token_credit', 'policy_optimization']
  return gated({
    name: 'datc_overhead',
    value,
    unit: '% over GRPO',
    better: 'lower',
    min: value,
    median: percent(secondsOf(datc, 'median'), secondsOf(grpo, 'median')),
    runs: repeat,
    gate: { of: 'value', at_most: REPORTED },
    detail: {
      grpo_ms: 1000 * secondsOf(grpo, 'min'),
      datc_ms: 1000 * secondsOf(datc, 'min'),
      of_processor_time_percent: percent(cpuSecondsOf(datc)!, cpuSecondsOf(grpo)!),
      ...Object.fromEntries(
        phases.flatMap((phase) =>
          Object.entries({ grpo, datc }).map(([name, samples]) => [
            `${name}_${phase}_ms`,
            1000 * partOf(samples, phase, 'min'),
          ]),
        ),
      ),
    },
    shape: `one iteration each, ${PPO_PROMPTS} prompts of ${PROMPT} tokens in groups of ${GROUP}, ${RESPONSE} sampled tokens a response, one update`,
  })
}

function iteration({ workload, options }: Bench, stage: GroupStage): Side {
  const { context, seed } = workload
  const config = { ...groupConfig(minimumPreset), seed, group_size: GROUP, max_new_tokens: RESPONSE }
  const policy = workload.policy()
  const reference = copyRole(policy)
  const learner = new Learner(policy)
  const sampling = new TorchRandom(options.seed + 200)
  const prompts = workload.rows(PPO_PROMPTS, PROMPT, 0)
  // Clocks are of one run, judge and method of all: what they compile is compiled once.
  const clock = new PhaseClock()
  const judge = new RewardJudge(context, workload.reward(), { gradients: readsGradients(stage), clock })
  // No id ends a response, so that the work is fixed.
  const moments: Moments | undefined = readsMoments(stage, config) ? new WeakMap() : undefined
  const source = singleTurnSource(judge, prompts, config, clock, moments, [])
  const strategy = strategyFor(stage, { context, config, policy, judge, moments, clock })
  return timed(
    async () => {
      const before = { ...clock.seconds }
      const fixed = await sampleAndCredit(strategy, {
        context,
        source,
        clock,
        policy,
        reference,
        tasks: prompts,
        groupSize: GROUP,
        uniform: () => sampling.uniform01(),
        iteration: 1,
      })
      const rates = { policy: config.learning_rate, critic: 0 }
      await takeUpdate({ context, clock, config, learner, critic: undefined }, fixed, { update: 1, epoch: 1, rates })
      return Object.fromEntries(
        Object.entries(clock.seconds).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]),
      )
    },
    (parts) => parts as Readonly<Record<string, number>>,
  )
}
