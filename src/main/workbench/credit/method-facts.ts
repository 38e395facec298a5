/** The estimators as they are chosen: what each computes, needs and reads, from the registry that runs them. */
import type { MethodFacts } from '../../../shared/credit.ts'
import { methods } from '../../engine/credit/estimators/registry.ts'
import { settingFacts } from '../../engine/credit/estimators/settings.ts'

export function methodFacts(): MethodFacts[] {
  return methods.map(({ name, formula, needs, settings, source, cannotClaim }) => ({
    name,
    formula,
    needs,
    fields: ['token_ids', ...needs.flatMap(unconditional)],
    settings: settings.map((setting) => {
      const { meaning, unit, byDefault, choices } = settingFacts[setting]
      return { name: setting, meaning, unit, by_default: byDefault, ...(choices === undefined ? {} : { choices }) }
    }),
    source,
    cannot_claim: cannotClaim,
  }))
}

/** `values (assistant)` is needed always; `bootstrap_value (where not terminated)` and a field of one setting only sometimes. */
function unconditional(need: string): string[] {
  const name = /^(\w+)(?: \(assistant(?:; (?!cut ).*)?\))?$/.exec(need)?.[1]
  return name === undefined ? [] : [name]
}
