/** `recompense credit estimate`: one estimator over stored trajectories, no model. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { givenSettings, methodList, noteUnread, settingFlags, trajectoryInputFlag } from '../credit-flags.ts'

interface Options extends Readonly<Record<string, unknown>> {
  readonly method: string
  readonly input: string
}

export const creditEstimate = define<Options>({
  name: 'estimate',
  summary: 'one estimator of token credit over stored trajectories, no model',
  options: [
    new Option('--method <name>', 'which estimator; credit methods says what each one reads').makeOptionMandatory(),
    trajectoryInputFlag(),
    ...settingFlags(),
  ],
  details: `Methods: ${methodList}.
Token and turn methods take the rewards of steps; where a rollout records none, its outcome stands at its last action token.
Group terms take the outcome. What one step of γ and λ is (a token, a turn) is the method's and stands in the result. A
rollout whose reward is null, or that its environment failed, gets no advantage and counts in no mean. A rollout that was
cut bootstraps from its bootstrap_value. A flag that the method does not read is named on stderr.
Result: method, parameters, formula, conventions, source, cannot_claim, notes, trajectories[{id, group, tokens[{turn, index,
advantage, return, …}]}], summary{token, turn, response, episode: {mean, std, n}}. turn and index count from 0.`,
  example: 'credit estimate --method gae --lambda 0.9 --input resources/examples/trajectories.jsonl --json',
  run: async (context, options) => {
    const [{ readTrajectories }, { methodNamed }, service, { namingProvider }, { estimateText }] = await Promise.all([
      import('../../rows/read-trajectories.ts'),
      import('../../engine/credit/estimators/registry.ts'),
      import('../../workbench/credit/estimate-credit.ts'),
      import('../../workbench/credit/field-providers.ts'),
      import('../credit-text.ts'),
    ])
    const method = methodNamed(options.method, '--method')
    const given = givenSettings(options)
    const trajectories = (await readTrajectories(options.input)).map(({ row }) => row)
    const result = namingProvider(method.name, options.input, () =>
      service.creditEstimate(trajectories, method, given, options.input),
    )
    noteUnread(context, given, [method])
    return { json: result, text: () => estimateText(context.style, result, trajectories) }
  },
})
