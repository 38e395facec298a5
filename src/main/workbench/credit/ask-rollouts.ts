/** Credit questions that need no model, asked of a source: the same services that the command line calls with a file. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { RefusedMethod } from '../../../shared/credit.ts'
import type { CreditComparison, CreditDiagnosis, ProcessReward } from '../../../shared/credit-estimates.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { methodNamed } from '../../engine/credit/estimators/registry.ts'
import type { Workbench } from '../workbench.ts'
import { comparisonOf, type LabelledEstimate, labelledEstimate } from './compare-credit.ts'
import { creditDiagnosis } from './diagnose-credit.ts'
import { providerOf } from './field-providers.ts'
import { processReward } from './induced-process-reward.ts'
import { chosenRows, sourceRows } from './sources.ts'
import { knownSettings } from './window-settings.ts'

interface Chosen {
  readonly source: CreditSource
  readonly ids?: readonly string[] | undefined
}

/** Tokens named for each pair of methods. */
const differMost = 12

async function rowsOf(
  bench: Workbench,
  { source, ids }: Chosen,
): Promise<{ rows: readonly Trajectory[]; name: string }> {
  const read = await sourceRows(bench, source)
  return { rows: chosenRows(read, ids), name: read.name }
}

/**
 * Every method that these rollouts can feed, side by side; of the others, why not and what would help.
 * Throws `BadInput` for a method or setting that there is not.
 */
export async function compareMethods(
  bench: Workbench,
  request: Chosen & {
    readonly methods: readonly string[]
    readonly settings: Readonly<Record<string, string | number>>
  },
): Promise<{ comparison: CreditComparison | null; refused: RefusedMethod[] }> {
  const { rows, name } = await rowsOf(bench, request)
  return comparedMethods(rows, request.methods, request.settings, name, differMost)
}

/** The same of rows that are read already; `name` is what messages call them. */
export function comparedMethods(
  rows: readonly Trajectory[],
  methods: readonly string[],
  given: Readonly<Record<string, string | number>>,
  name: string,
  tokensOfAPair: number,
): { comparison: CreditComparison | null; refused: RefusedMethod[] } {
  const settings = knownSettings(given)
  const fed: LabelledEstimate[] = []
  const refused: RefusedMethod[] = []
  for (const label of methods) {
    try {
      fed.push(labelledEstimate(label, rows, settings, name, 'methods'))
    } catch (error) {
      // A setting is the user's to set right; a row that lacks a field is a fact about these rollouts.
      if (!(error instanceof BadInput) || error.subject !== name) throw error
      const problem = error.where === undefined ? error.problem : `${error.problem} (${error.where})`
      refused.push({ label, problem, remedy: providerOf(label, error.problem) })
    }
  }
  return { comparison: fed.length === 0 ? null : comparisonOf(fed, tokensOfAPair), refused }
}

export async function inducedReward(bench: Workbench, request: Chosen): Promise<ProcessReward> {
  const { rows, name } = await rowsOf(bench, request)
  return processReward(rows, name)
}

/** Throws `BadInput` for an unknown method, or rows that it cannot read. */
export async function diagnoseRollouts(
  bench: Workbench,
  request: Chosen & { readonly method?: string | undefined },
): Promise<CreditDiagnosis> {
  const { rows, name } = await rowsOf(bench, request)
  const method = request.method === undefined ? null : methodNamed(request.method, 'method')
  return creditDiagnosis(rows, method, {}, name)
}
