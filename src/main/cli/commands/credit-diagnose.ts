/** `recompense credit diagnose`: eight questions to ask of a trajectory file before its advantages are believed. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { givenSettings, noteUnread, settingFlags, trajectoryInputFlag } from '../credit-flags.ts'

interface Options extends Readonly<Record<string, unknown>> {
  readonly method?: string
  readonly input: string
}

export const creditDiagnose = define<Options>({
  name: 'diagnose',
  summary: 'eight diagnostics of credit assignment on a trajectory file',
  options: [
    trajectoryInputFlag(),
    new Option(
      '--method <name>',
      'estimator to diagnose (default: gae-skip-observation where every action has values, else monte-carlo with baseline grpo)',
    ),
    ...settingFlags(),
  ],
  details: `hand-computed            return, TD, GAE and bootstrap of short built-in trajectories; figure: largest error
endings                  terminal, truncated, invalid, failed environment kept apart; figure: rollouts that are not
observation-perturbation observations reworded and lengthened; figure: change in the number of policy targets
advantage-scales         mean and std by token, turn, response, episode; figure: std by token
horizon-decay            weight of the end in the first advantage of the longest rollout; figure: that weight
process-reward-off       the same rollouts without step rewards; figure: share of tokens whose sign stays
confident-wrong          verifier confidence against correctness; figure: rollouts confident and wrong
double-counting          rewards paid twice over segments, split rows or turns; figure: how many
A check whose fields the file does not record is skipped. Findings leave the exit status 0.
Result: method, parameters, rollouts, checks[{id, status: ok | warning | failed | skipped, figure, detail, data}].`,
  example: 'credit diagnose --input resources/examples/trajectories.jsonl --json',
  run: async (context, options) => {
    const [{ readTrajectories }, { methodNamed }, service, { diagnosisText }] = await Promise.all([
      import('../../rows/read-trajectories.ts'),
      import('../../engine/credit/estimators/registry.ts'),
      import('../../workbench/credit/diagnose-credit.ts'),
      import('../credit-text.ts'),
    ])
    const method = options.method === undefined ? null : methodNamed(options.method, '--method')
    const given = givenSettings(options)
    const trajectories = (await readTrajectories(options.input)).map(({ row }) => row)
    const result = service.creditDiagnosis(trajectories, method, given, options.input)
    noteUnread(context, given, [methodNamed(result.method, '--method')])
    return { json: result, text: () => diagnosisText(context.style, result) }
  },
})
