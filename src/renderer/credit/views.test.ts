import { describe, expect, it } from 'vitest'
import type {
  CreditResultListing,
  DatcReading,
  MethodFacts,
  TrajectoryList,
  TrajectoryView,
} from '../../shared/credit.ts'
import type { CreditAuditLine } from '../../shared/credit-audit.ts'
import type { CreditComparison } from '../../shared/credit-estimates.ts'
import { ablationTable, gainBars, gainsOf } from './datc/datc-tables.ts'
import { deskOf, episodeTurns } from './desk/episodes.ts'
import { differencesTable, leastAlike, matrixOf, methodLines, tokenText } from './methods/comparison.ts'
import { absentFields, firstMethods } from './methods/method-choice.ts'
import { prefixTree } from './process/prefix-tree.ts'
import { auditOfReading, readingsOf, recordedShares } from './readings.ts'
import { openResult, resultsFor } from './results.ts'
import { advantageChoices, auditRequest, firstForm } from './shares/audit-form.ts'

function view(id: string, actions: readonly number[], reward: number | null): TrajectoryView {
  return {
    trajectory: {
      id,
      group: 'g',
      reward,
      terminated: true,
      truncated: false,
      turns: [
        { role: 'user', token_ids: [1] },
        { role: 'assistant', token_ids: [...actions] },
      ],
    },
    token_texts: [['asked'], actions.map((token) => `t${token}`)],
  }
}

describe('a group as a tree', () => {
  it('has shared tokens in one node, and parts where ids part', () => {
    const tree = prefixTree([view('a', [5, 6, 7], 1), view('b', [5, 6, 8], 0), view('c', [5, 9], null)])
    const shape = (node: typeof tree): unknown => [
      node.tokens.map(({ text }) => text).join(' '),
      node.rollouts.length,
      node.value,
      ...node.children.map(shape),
    ]
    expect(shape(tree)).toEqual(['t5', 3, 0.5, ['t6', 2, 0.5, ['t7', 1, 1], ['t8', 1, 0]], ['t9', 1, null]])
  })

  it('ends a rollout that is a prefix of another, and keeps a lone one whole', () => {
    const tree = prefixTree([view('a', [5], 1), view('b', [5, 6], 0)])
    expect(tree.children.map(({ rollouts }) => rollouts)).toEqual([['b']])
    expect(prefixTree([view('a', [5, 6], 1)])).toMatchObject({ rollouts: ['a'], value: 1, children: [] })
  })

  it('tells what was said from what was observed by the same token', () => {
    const observed = view('b', [], 0)
    const turns = [
      ...observed.trajectory.turns.slice(0, 1),
      { role: 'assistant' as const, token_ids: [5] },
      { role: 'tool' as const, token_ids: [6] },
    ]
    const b = { trajectory: { ...observed.trajectory, turns }, token_texts: [['asked'], ['t5'], ['t6']] }
    const tree = prefixTree([view('a', [5, 6], 1), b])
    expect(tree.children.map(({ tokens }) => tokens)).toEqual([
      [{ text: 't6', action: true }],
      [{ text: 't6', action: false }],
    ])
  })
})

const comparison: CreditComparison = {
  tokens: 2,
  abstained: [],
  methods: [],
  pairs: [
    { a: 'gae', b: 'td', tokens: 2, rank_correlation: 0.5, sign_agreement: 1, opposite_signs: 0, differ_most: [] },
    {
      a: 'gae',
      b: 'mbpo',
      tokens: 2,
      rank_correlation: -0.2,
      sign_agreement: 0.5,
      opposite_signs: 1,
      differ_most: [{ id: 'a', turn: 1, index: 1, advantages: [1, -1], ranks: [1, 0] }],
    },
    { a: 'td', b: 'mbpo', tokens: 2, rank_correlation: null, sign_agreement: 0, opposite_signs: 2, differ_most: [] },
  ],
  advantages: [
    { id: 'a', turn: 1, index: 0, advantages: { gae: 0.5, td: 3 } },
    { id: 'a', turn: 1, index: 1, advantages: { gae: -1, td: 0 } },
  ],
}
const labelled = ['gae', 'td', 'mbpo'].map(
  (label) => ({ label, parameters: {} }) as CreditComparison['methods'][number],
)

describe('a comparison', () => {
  it('is a matrix that does not mind in which order a pair was compared', () => {
    const matrix = matrixOf({ ...comparison, methods: labelled.toReversed() }, 'rank_correlation')
    expect(matrix).toEqual([
      [null, null, -0.2],
      [null, null, 0.5],
      [-0.2, 0.5, null],
    ])
  })

  it('opens the pair that agrees least, of those that can be ranked', () => {
    expect(leastAlike(comparison)?.b).toBe('mbpo')
    expect(leastAlike({ ...comparison, pairs: [] })).toBe(null)
  })

  it('has one line of cells a method, each with a scale of its own', () => {
    const lines = methodLines({ ...comparison, methods: labelled.slice(0, 2) }, view('a', [5, 6], 1))
    expect(lines.map(({ cells }) => cells.map(({ value }) => value))).toEqual([
      [0.5, -1],
      [3, 0],
    ])
    expect(lines.map(({ scale }) => scale?.high)).toEqual([1, 3])
  })

  it('names the tokens where two differ most', () => {
    const table = differencesTable(comparison.pairs[1]!, tokenText([view('a', [5, 6], 1)]))
    expect(table.rows[0]?.cells.slice(0, 3)).toEqual(['a', 'turn 1/token 1', 't6'])
  })
})

const list = (fields: Readonly<Record<string, number>>): TrajectoryList => ({
  name: 'run',
  rows: [1, 2].map((id) => ({ id: String(id) }) as TrajectoryList['rows'][number]),
  fields: Object.entries(fields).map(([name, rows]) => ({ name, rows })),
  model: null,
  policies: [],
  reward_adapters: [],
})

describe('what rollouts can feed', () => {
  const facts = (name: string, fields: readonly string[]) => ({ name, fields }) as MethodFacts
  const known = [
    facts('td', ['values']),
    facts('gae', ['values']),
    facts('reward-to-go', []),
    facts('gigpo', ['state_key']),
  ]

  it('is said field by field, with how many rows have it', () => {
    expect(absentFields(facts('x', ['values', 'logprobs']), list({ values: 2, logprobs: 1 }))).toEqual([
      { name: 'logprobs', rows: 1 },
    ])
  })

  it('begins with familiar methods that lack nothing', () => {
    expect(firstMethods(known, list({ values: 2 }))).toEqual(['gae', 'reward-to-go'])
    expect(firstMethods(known, list({ values: 1, state_key: 2 }))).toEqual(['reward-to-go', 'gigpo'])
  })

  it('decides with which advantages an audit begins', () => {
    expect(firstForm(list({ advantages: 2 })).advantages).toBe('recorded')
    expect(firstForm(list({ advantages: 1 })).advantages).toBe('monte-carlo:grpo')
    expect(advantageChoices(list({})).map(({ value }) => value)).not.toContain('gae')
  })

  it('is asked of an audit as its command has it', () => {
    const form = { ...firstForm(list({})), optimizer: 'adamw', learningRate: 0.1 }
    expect(auditRequest(form)).toMatchObject({
      advantages: { method: 'monte-carlo', settings: { baseline: 'grpo' } },
      step: { optimizer: 'adamw', learning_rate: 0.1 },
    })
    expect(auditRequest({ ...form, optimizer: '', advantages: 'recorded' })).not.toHaveProperty('step')
  })
})

const line = (update: number, iteration: number, shares: readonly number[] | null): CreditAuditLine => ({
  kind: 'credit-audit',
  iteration,
  update,
  epoch_within_rollout: 1,
  policy_sha256: 'a',
  dtype: 'float32',
  reading:
    shares === null
      ? null
      : {
          trained_positions: 2,
          backward_passes: 2,
          forward_mode_passes: 1,
          full_norm: 1,
          projected_share_sum: 1,
          conservation_error: 1e-8,
          cancellation: 1,
          token_conservation_error: 2e-8,
          rollouts: [
            { rollout_id: `r${iteration}`, positions: 2, projected_share: 1, norm_share: 1, token_shares: [...shares] },
          ],
        },
})

describe('recorded readings', () => {
  const lines = [line(1, 1, [0.6, 0.4]), line(2, 1, [1, 0]), line(3, 2, null), line(4, 2, [0.2, 0.8])]

  it('are those of the iterations in view, and of a file none', () => {
    const source = { kind: 'run' as const, run_id: 'x', iterations: [2, 2] as [number, number] }
    expect(readingsOf(lines, source).map(({ update }) => update)).toEqual([3, 4])
    expect(readingsOf(lines, { kind: 'file', sha256: 'x' })).toEqual([])
  })

  it('colour tokens by the first audited update of each iteration that had a gradient', () => {
    const recorded = recordedShares(lines)
    expect(Object.fromEntries(recorded?.shares ?? [])).toEqual({ r1: [0.6, 0.4], r2: [0.2, 0.8] })
    expect([recorded?.update, recorded?.conservationError]).toEqual([null, null])
    expect(recordedShares(lines.slice(0, 2))).toMatchObject({ update: 1, conservationError: 2e-8, rollouts: 1 })
    expect(recordedShares([line(3, 2, null)])).toBe(null)
  })

  it('read as an audit by rollout, and as none where the gradient was zero', () => {
    expect(auditOfReading(line(1, 1, [1, 0]))).toMatchObject({ partition: 'rollout', projected_share_sum: 1 })
    expect(auditOfReading(line(3, 2, null))).toBe(null)
  })
})

describe('kept results', () => {
  const kept = (run_id: string, changes: Partial<CreditResultListing> = {}) =>
    ({
      run_id,
      kind: 'credit-audit',
      status: 'finished',
      source: { kind: 'run', run_id: 'x', iterations: [1, 2] },
      ids: null,
      ...changes,
    }) as CreditResultListing
  const source = { kind: 'run' as const, run_id: 'x', iterations: [1, 2] as [number, number] }

  it('answer for exactly these rollouts, in whatever order they were named', () => {
    const all = [
      kept('whole'),
      kept('two', { ids: ['b', 'a'] }),
      kept('other', { source: { kind: 'run', run_id: 'x' } }),
      kept('weights', { kind: 'credit-datc' }),
    ]
    const found = (rollouts: readonly string[]) =>
      resultsFor(all, 'credit-audit', source, rollouts).map(({ run_id }) => run_id)
    expect(found([])).toEqual(['whole'])
    expect(found(['a', 'b'])).toEqual(['two'])
  })

  it('open at the one that is named, else at the newest finished one', () => {
    const all = [kept('running', { status: 'running' }), kept('new'), kept('old')]
    expect(openResult(all, 'old')?.run_id).toBe('old')
    expect(openResult(all, null)?.run_id).toBe('new')
    expect(openResult(all.slice(0, 1), null)?.run_id).toBe('running')
    expect(openResult([], null)).toBe(null)
  })
})

describe('DATC', () => {
  const row = (id: string, gain: number, uniform: number) =>
    ({ id, predicted_gain: gain, predicted_gain_uniform: uniform }) as DatcReading['rows'][number]
  const reading: DatcReading = { max_weight: 4, ablation: 'none', rows: [row('a', 3, 1), row('b', 1, -1)], left_out: 0 }

  it('is compared with equal weights by a difference, which exists where a ratio does not', () => {
    expect(gainsOf(reading)).toEqual({ gain: 2, uniform: 0, more: 2 })
    expect(gainsOf({ ...reading, rows: [] })).toEqual({ gain: null, uniform: null, more: null })
    const listing = {} as CreditResultListing
    expect(ablationTable([{ listing, reading }]).rows[0]?.cells[0]).toBe('none')
    expect(gainBars(reading).rows).toEqual([
      { label: 'a', values: [3, 1] },
      { label: 'b', values: [1, -1] },
    ])
  })
})

describe('an episode of the desk', () => {
  it('is told turn by turn, with what was known and what a turn was', () => {
    const { trajectory } = view('a', [5, 6], 1)
    const turns = trajectory.turns.map((turn, k) =>
      k === 1
        ? { ...turn, text: 'check queue', event: 'check', state_key: 'desk:a|queue=fine,cable=fault', reward: 0.5 }
        : turn,
    )
    const played = { trajectory: { ...trajectory, turns } } as unknown as TrajectoryView
    expect(episodeTurns(played)[1]).toEqual({
      turn: 1,
      role: 'assistant',
      text: 'check queue',
      event: 'checked',
      reward: 0.5,
      known: 'queue=fine, cable=fault',
      tokens: 2,
    })
    expect(deskOf(played)).toBe(null)
  })
})
