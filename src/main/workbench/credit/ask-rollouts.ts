/** Credit questions that need no model, asked of a source: the same services that the command line calls with a file. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { RefusedMethod } from '../../../shared/credit.ts'
import type { CreditComparison, CreditDiagnosis, ProcessReward } from '../../../shared/credit-estimates.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { methodNamed } from '../../engine/credit/estimators/registry.ts'
import { type GivenSettings, settingNames } from '../../engine/credit/estimators/settings.ts'
import type { Workbench } from '../workbench.ts'
import { comparisonOf, type LabelledEstimate, labelledEstimate } from './compare-credit.ts'
import { creditDiagnosis } from './diagnose-credit.ts'
import { processReward } from './induced-process-reward.ts'
import { methodFacts } from './method-facts.ts'
import { chosenRows, sourceRows } from './sources.ts'

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
      fed.push(labelledEstimate(label, rows, settings, name))
    } catch (error) {
      // A flag is the user's to set right; a row that lacks a field is a fact about these rollouts.
      if (!(error instanceof BadInput) || error.subject !== name) throw error
      const problem = error.where === undefined ? error.problem : `${error.problem} (${error.where})`
      refused.push({ label, problem, remedy: remedyFor(label, error.problem) })
    }
  }
  return { comparison: fed.length === 0 ? null : comparisonOf(fed, tokensOfAPair), refused }
}

function knownSettings(given: Readonly<Record<string, string | number>>): GivenSettings {
  for (const name of Object.keys(given)) {
    if (!(settingNames as readonly string[]).includes(name)) throw new BadInput(name, 'is no setting of an estimator')
  }
  return given as GivenSettings
}

/** What records a field that a method misses. */
const providers: Readonly<Record<string, string>> = {
  values:
    'A critic records them: PPO does, and dumps of trainers with one; credit read --value-adapter adds those of a critic kept here',
  logprobs: 'The policy that sampled records them; credit read --policy adds those of a policy kept here',
  ref_logprobs: 'A run with a reference records them; credit read --reference adds those of one kept here',
  teacher_logprobs: 'credit read --teacher adds those of an adapter over the same base, or of the base itself',
  retention: 'credit read --policy reads it from the attention of the policy',
  prefix_scores: 'credit read --reward-adapter adds a reward model’s score of every prefix',
  base_score: 'credit read --reward-adapter adds a reward model’s score of the prompt alone',
  token_influences: 'credit read --reward-adapter adds them, to first order',
  state_key: 'An environment that names its states records them; the desk does',
  final_state_key: 'An environment that names its states records it; the desk does',
  segment: 'A trainer that compacts its context records which segment a turn belongs to',
  option: 'A policy with options records which option a turn belongs to',
  bootstrap_value: 'The critic’s value of the state where the rollout was cut: credit read --value-adapter adds it',
  greedy_reward: 'Roll the prompt out greedily once and write its reward into the rollouts',
  token_ids: 'Import the file with the tokenizer of the policy',
}

function remedyFor(label: string, problem: string): string | null {
  const facts = methodFacts().find(({ name }) => name === label.split(':')[0])
  const fields = [...(facts?.fields ?? []), ...Object.keys(providers)]
  const missing = fields.find((field) => new RegExp(`\\b${field}\\b`).test(problem))
  return missing === undefined ? null : (providers[missing] ?? null)
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
