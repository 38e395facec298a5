/** `recompense credit methods`: what each estimator computes, needs, and cannot claim. */
import { define } from '../command.ts'

export const creditMethods = define<Record<string, never>>({
  name: 'methods',
  summary: 'what each estimator computes, which fields and flags it reads, where it is from, what it cannot claim',
  options: [],
  details: `Needs are fields of the trajectory file beyond ids and outcome. Flags, their units and defaults: help credit estimate.
Result: methods[{name, formula, step, rewards, needs, flags, source, cannot_claim, conventions}].`,
  example: 'credit methods --json',
  run: async ({ style }) => {
    const [{ methods }, { methodFacts, methodsText }] = await Promise.all([
      import('../../engine/credit/estimators/registry.ts'),
      import('../credit-text.ts'),
    ])
    return { json: { methods: methods.map(methodFacts) }, text: () => methodsText(style, methods) }
  },
})
