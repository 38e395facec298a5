/** `recompense credit compare`: several estimators on the same tokens. */
import { Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import { define } from '../command.ts'
import { givenSettings, methodList, noteUnread, settingFlags, trajectoryInputFlag } from '../credit-flags.ts'
import { notNegativeInteger } from '../flags.ts'

interface Options extends Readonly<Record<string, unknown>> {
  readonly methods: string
  readonly input: string
  readonly top: number
}

export const creditCompare = define<Options>({
  name: 'compare',
  summary: 'several estimators on the same tokens: rank correlation, agreement of signs, where they differ most',
  options: [
    new Option(
      '--methods <a,b,…>',
      'estimators; NAME:BASELINE takes a baseline, as monte-carlo:rloo',
    ).makeOptionMandatory(),
    trajectoryInputFlag(),
    new Option('--top <n>', 'tokens to name for each pair, those whose ranks lie farthest apart; 0 for none')
      .argParser(notNegativeInteger)
      .default(5),
    ...settingFlags(),
  ],
  details: `Methods: ${methodList}.
Each flag goes to the methods that read it. Rank correlation is Spearman's over all action tokens, ties at their mean rank;
null where a method gives every token the same. Signs agree where both are positive, both negative or both 0.
Agreement is no proof: two methods that share a critic share its mistakes.
Result: tokens, abstained[], methods[{label, method, parameters, formula, conventions, notes, summary}], pairs[{a, b, tokens,
rank_correlation, sign_agreement, opposite_signs, differ_most[{id, turn, index, advantages, ranks}]}], advantages[{id, turn,
index, advantages{label: number}}]. ranks are shares of all tokens, 0 lowest, 1 highest.`,
  example:
    'credit compare --methods monte-carlo:rloo,gae,gigpo,factor --input resources/examples/trajectories.jsonl --json',
  run: async (context, options) => {
    const named = options.methods.split(',').map((label) => label.trim())
    if (named.includes('')) throw new BadInput('--methods', 'holds an empty name')
    const labels = [...new Set(named)]
    if (labels.length < 2) throw new BadInput('--methods', `${labels[0]} is one method; a comparison needs two`)
    const [{ readTrajectories }, service, { namingProvider }, { comparisonText }] = await Promise.all([
      import('../../rows/read-trajectories.ts'),
      import('../../workbench/credit/compare-credit.ts'),
      import('../../workbench/credit/field-providers.ts'),
      import('../credit-text.ts'),
    ])
    const given = givenSettings(options)
    const trajectories = (await readTrajectories(options.input)).map(({ row }) => row)
    const estimates = labels.map((label) =>
      namingProvider(label, options.input, () => service.labelledEstimate(label, trajectories, given, options.input)),
    )
    noteUnread(
      context,
      given,
      estimates.map(({ estimate }) => estimate.method),
    )
    const result = service.comparisonOf(estimates, options.top)
    return { json: result, text: () => comparisonText(context.style, result) }
  },
})
