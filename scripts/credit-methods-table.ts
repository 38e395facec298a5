/**
 * Prints the table of docs/credit.md, "Methods side by side", from one trajectory file:
 *
 *     node scripts/credit-methods-table.ts TRAJ.jsonl [--datc FILE] [--audit FILE] [--time]
 *
 * FILE is the JSON answer of `credit datc` and of `credit audit --partition token` on the same rollouts; without it the row
 * of that method has no figures. With --time a column says what the estimate itself took.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { signAgreement, spearman } from '../src/main/engine/credit/estimators/compare.ts'
import type { Estimate } from '../src/main/engine/credit/estimators/estimate.ts'
import type { Method } from '../src/main/engine/credit/estimators/method.ts'
import { methods } from '../src/main/engine/credit/estimators/registry.ts'
import { spreadOf } from '../src/main/engine/credit/estimators/spread.ts'
import { readTrajectories } from '../src/main/rows/read-trajectories.ts'
import { labelledEstimate } from '../src/main/workbench/credit/compare-credit.ts'
import { BadInput } from '../src/shared/bad-input.ts'

/** What every other method is compared with: credit without any look inside the rollout. */
const reference = 'monte-carlo:rloo'
const baselines = ['rloo', 'grpo-mean', 'grpo', 'greedy'] as const

/** What has to run before a field of the file exists. */
const fills: readonly (readonly [RegExp, string])[] = [
  [/^values/, 'a critic’s forward'],
  [/^logprobs/, 'recorded by the sampler'],
  [/^teacher_logprobs/, 'a teacher’s forward'],
  [/^retention/, 'the policy’s attention'],
  [/^prefix_scores/, 'one forward of the reward model'],
  [/^token_influences/, 'forward and backward of the reward model'],
  [/^state_key/, 'named by the environment'],
  [/^greedy_reward/, 'a greedy response, graded'],
  [/^(segment|option)/, 'numbered by the agent'],
]

interface Row {
  readonly name: string
  readonly needs: string
  readonly cost: string
  /** By id of the rollout, over its action tokens; null where it was not measured or cannot be. */
  readonly credit: ReadonlyMap<string, readonly number[]> | null
  readonly problem?: string
  readonly milliseconds?: number
}

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { datc: { type: 'string' }, audit: { type: 'string' }, time: { type: 'boolean', default: false } },
})
const [file] = positionals
if (file === undefined) {
  process.stderr.write('error: usage: credit-methods-table.ts TRAJ.jsonl [--datc FILE] [--audit FILE] [--time]\n')
  process.exit(2)
}
const trajectories = (await readTrajectories(file)).map(({ row }) => row)
const labels = methods.flatMap(({ name }) => (name === 'monte-carlo' ? baselines.map((b) => `${name}:${b}`) : [name]))
const base = creditOf(labelledEstimate(reference, trajectories, {}, file).estimate)
const rows: Row[] = [
  ...labels.map(estimated),
  {
    name: 'credit datc × GRPO',
    needs: 'the policy; a reward model on the same vocabulary',
    cost: 'forward of the policy, forward and backward of the reward model',
    credit: options.datc === undefined ? null : datcCredit(options.datc),
  },
  {
    name: 'credit audit, by token',
    needs: 'the policy; any advantages',
    cost: 'forward and backward of the policy, one forward-mode pass',
    credit: options.audit === undefined ? null : auditShares(options.audit),
  },
]
process.stdout.write(`${tableOf(rows)}\n`)

function estimated(label: string): Row {
  const method = methods.find(({ name }) => name === label.split(':')[0])!
  const needs = method.needs.filter((need) => {
    return !need.includes('cut segment') && (!need.includes('baseline greedy') || label.endsWith('greedy'))
  })
  const words = { name: label, needs: needs.join('; ') || '–', cost: costOf(method, needs) }
  try {
    const begun = performance.now()
    const { estimate } = labelledEstimate(label, trajectories, {}, file!)
    return { ...words, credit: creditOf(estimate), milliseconds: performance.now() - begun }
  } catch (error) {
    if (!(error instanceof BadInput)) throw error
    return { ...words, credit: null, problem: error.problem }
  }
}

function costOf(method: Method, needs: readonly string[]): string {
  const found = fills.filter(([field]) => needs.some((need) => field.test(need))).map(([, what]) => what)
  return found.length === 0
    ? `one pass over the ${method.reads === 'outcome' ? 'outcomes' : 'rewards'}`
    : found.join('; ')
}

function creditOf({ rollouts }: Estimate): Map<string, readonly number[]> {
  return new Map(
    rollouts
      .filter(({ absence }) => absence === null)
      .map(({ trajectory, credit }) => [trajectory.id, credit.advantages]),
  )
}

function datcCredit(path: string): Map<string, readonly number[]> {
  const answer = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly rows: readonly { readonly id: string; readonly advantage: number; readonly weights: readonly number[] }[]
  }
  return new Map(answer.rows.map(({ id, advantage, weights }) => [id, weights.map((weight) => advantage * weight)]))
}

function auditShares(path: string): Map<string, readonly number[]> {
  const answer = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly parts: readonly { readonly name: string; readonly projected_share: number }[]
  }
  const shares = new Map<string, number[]>()
  for (const { name, projected_share } of answer.parts) {
    const id = name.replace(/\/turn \d+\/token \d+$/, '')
    if (id === name) throw new BadInput(path, `part ${name} is no token; audit with --partition token`)
    shares.set(id, [...(shares.get(id) ?? []), projected_share])
  }
  return shares
}

function tableOf(list: readonly Row[]): string {
  const titles = [
    'method',
    'needs',
    'cost',
    'std by token',
    'rank correlation',
    'signs',
    ...(options.time ? ['ms'] : []),
  ]
  const lines = list.map(({ name, needs, cost, credit, problem, milliseconds }) => {
    const time = options.time ? [milliseconds === undefined ? '–' : milliseconds.toFixed(1)] : []
    return [`\`${name}\``, needs, cost, ...(problem === undefined ? figuresOf(credit) : [problem, '–', '–']), ...time]
  })
  return [titles, titles.map((_, i) => (i < 3 ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** Deviation of the credit, and how it stands to the reference, on the tokens that both have. */
function figuresOf(credit: Row['credit']): string[] {
  if (credit === null) return ['–', '–', '–']
  const own: number[] = []
  const other: number[] = []
  for (const [id, list] of base) {
    const mine = credit.get(id)
    if (mine === undefined) continue
    if (mine.length !== list.length)
      throw new BadInput(file!, `has ${list.length} action tokens, the answer ${mine.length}`, `row ${id}`)
    own.push(...mine)
    other.push(...list)
  }
  const correlation = spearman(own, other)
  const { share } = signAgreement(own, other)
  return [
    Number((spreadOf(own).std ?? 0).toPrecision(3)).toString(),
    correlation === null ? '–' : correlation.toFixed(2),
    share === null ? '–' : `${(100 * share).toFixed(0)} %`,
  ]
}
