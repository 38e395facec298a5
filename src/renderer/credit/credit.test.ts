import { describe, expect, it } from 'vitest'
import { auditBars, closingLine, mostBars, verdictOf } from '../../main/report/credit-shares.ts'
import type { TrajectoryListing, TrajectoryView } from '../../shared/credit.ts'
import type { CreditAudit } from '../../shared/credit-audit.ts'
import { barEnds, shareBar } from '../tokens/share-bar.ts'
import { chosenOf, figuresOf, sourceInView, sourceKey, sourceOfKey } from './source/source-in-view.ts'
import { cellsOf, overActions, recordedIn, recordedValue, sharesOf } from './tokens/token-lines.ts'

const audit: CreditAudit = {
  partition: 'turn',
  dtype: 'float64',
  reduction: 'sum',
  advantages: 'the outcome',
  trained_positions: 5,
  rollouts: 1,
  left_out: [],
  parameters: 8,
  backward_passes: 3,
  conservation_of: 'gradient',
  parts: [
    { name: 'r/turn 1', positions: 3, projected_share: 1.4, norm_share: 1.5 },
    { name: 'r/turn 3', positions: 2, projected_share: -0.4, norm_share: 0.7 },
  ],
  projected_share_sum: 1,
  conservation_error: 2.7e-16,
  cancellation: 2.2,
  full_norm: 0.8,
}

describe('an audit', () => {
  it('shows each part with both shares, negative ones as they are', () => {
    const chart = auditBars(audit.parts)
    expect(chart.rows).toEqual([
      { label: 'r/turn 1', values: [1.4, 1.5] },
      { label: 'r/turn 3', values: [-0.4, 0.7] },
    ])
    expect(chart.series).toHaveLength(2)
  })

  it('keeps the sum where only the largest parts have a bar of their own', () => {
    const parts = Array.from({ length: 60 }, (_, k) => ({
      name: `r/turn 1/token ${k}`,
      positions: 1,
      projected_share: (k % 2 === 0 ? 1 : -1) * (k + 1),
    }))
    const chart = auditBars(parts)
    expect(chart.rows).toHaveLength(mostBars)
    expect(chart.rows.at(-1)?.label).toBe('37 other parts together')
    const sum = chart.rows.reduce((total, row) => total + (row.values[0] ?? 0), 0)
    expect(sum).toBeCloseTo(
      parts.reduce((total, part) => total + part.projected_share, 0),
      10,
    )
    expect(chart.series).toHaveLength(1)
    // In the order of the audit, so that neighbours stay neighbours.
    expect(chart.rows[0]?.label).toBe(`r/turn 1/token ${61 - mostBars}`)
  })

  it('is judged by the precision that it was computed in', () => {
    expect(verdictOf(audit).adds).toBe(true)
    expect(verdictOf({ ...audit, conservation_error: 1e-7 }).adds).toBe(false)
    expect(verdictOf({ ...audit, dtype: 'float32', conservation_error: 1e-7 }).adds).toBe(true)
  })

  it('closes with its figures', () => {
    const figures = new Map(closingLine(audit).map(({ name, figure }) => [name, figure]))
    expect(figures.get('Σ projected shares')).toBe('1.000')
    expect(figures.get('Cancellation')).toBe('2.20')
    expect(figures.get('Passes')).toBe('3')
    const { cancellation: _, ...oneForward } = { ...audit, forward_mode_passes: 1, backward_passes: 1 }
    const names = closingLine(oneForward).map(({ name, figure }) => `${name} ${figure}`)
    expect(names).toContain('Passes 1 + 1')
    expect(names.some((name) => name.startsWith('Cancellation'))).toBe(false)
  })
})

describe('a bar of shares', () => {
  it('goes up by the gains and back by the losses, and ends at the sum', () => {
    const bar = shareBar([0.7, -0.4, Number.NaN, 0.7])
    expect(bar.positive.map(({ from, to }) => [from, to])).toEqual([
      [0, 0.7],
      [0.7, 1.4],
    ])
    expect(bar.negative).toHaveLength(1)
    expect(bar.negative[0]).toMatchObject({ index: 1, share: -0.4, from: 1.4 })
    expect(bar.negative[0]?.to).toBeCloseTo(1, 12)
    expect([bar.rise, bar.missing]).toEqual([1.4, 1])
    expect(bar.sum).toBeCloseTo(1, 12)
    expect(barEnds([bar, shareBar([-0.25]), shareBar([0.1])])).toEqual([-0.25, 1.4])
  })
})

const view: TrajectoryView = {
  trajectory: {
    id: 'r',
    group: 'g',
    reward: 1,
    terminated: true,
    truncated: false,
    turns: [
      { role: 'user', token_ids: [1] },
      { role: 'assistant', token_ids: [2, 3], logprobs: [-1, -2] },
      { role: 'tool', token_ids: [4] },
      { role: 'assistant', token_ids: [5] },
    ],
  },
  token_texts: [['q'], ['a', 'b'], ['seen'], ['c']],
}

describe('tokens of several turns', () => {
  it('are actions with a number, prompts and observations without', () => {
    const value = sharesOf({
      ...audit,
      parts: [{ name: 'r/turn 1/token 1', positions: 1, projected_share: 0.25 }],
    })
    const cells = cellsOf(view, value, { context: true })
    expect(cells.map(({ kind }) => kind)).toEqual(['prompt', 'action', 'action', 'observation', 'action'])
    expect(cells.map(({ value: share }) => share)).toEqual([Number.NaN, Number.NaN, 0.25, Number.NaN, Number.NaN])
    expect(cells.map(({ place }) => place)[2]).toBe('turn 1/token 1')
    expect(cellsOf(view, value, { context: false }).map(({ text }) => text)).toEqual(['a', 'b', 'c'])
  })

  it('take lists over the assistant tokens across turns', () => {
    const value = overActions([view], new Map([['r', [10, 20, 30]]]))
    expect([value('r', 1, 0), value('r', 1, 1), value('r', 3, 0)]).toEqual([10, 20, 30])
    expect(value('other', 1, 0)).toBeNaN()
  })

  it('have the numbers that were recorded, and no others', () => {
    expect(recordedIn([view])).toEqual(['logprobs'])
    expect(recordedValue([view], 'logprobs')('r', 1, 1)).toBe(-2)
    expect(recordedValue([view], 'logprobs')('r', 3, 0)).toBeNaN()
  })
})

const row = (id: string, reward: number | null): TrajectoryListing => ({
  id,
  group: 'g',
  reward,
  terminated: true,
  truncated: false,
  turns: 2,
  actions: 3,
  tokens: 5,
  iteration: null,
  excerpt: '',
})

describe('rollouts in view', () => {
  it('leave abstentions out of the mean, and say how many', () => {
    expect(figuresOf([row('a', 1), row('b', null), row('c', 0)])).toMatchObject({
      rollouts: 3,
      meanReward: 0.5,
      abstained: 1,
      actions: 9,
    })
    expect(figuresOf([row('b', null)]).meanReward).toBeNull()
  })

  it('are all of the source unless some are named', () => {
    const rows = [row('a', 1), row('b', 1)]
    expect(chosenOf(rows, [])).toHaveLength(2)
    expect(chosenOf(rows, ['b', 'gone']).map(({ id }) => id)).toEqual(['b'])
  })

  it('are those of the newest run’s last iteration where the address names none', () => {
    const run = {
      run_id: 'run-1',
      study_id: null,
      study_name: null,
      stage: 'ppo',
      status: 'finished',
      created_at: '',
      rollouts: 8,
      first_iteration: 1,
      last_iteration: 4,
      audited_iterations: [],
    }
    const sources = { runs: [run], files: [] }
    const last = { kind: 'run', run_id: 'run-1', iterations: [4, 4] }
    expect(sourceInView(sources, null)).toEqual(last)
    expect(sourceOfKey(sources, sourceKey({ kind: 'run', run_id: 'run-1' }))).toEqual(last)
    const audited = { ...run, audited_iterations: [1, 3] }
    expect(sourceInView({ runs: [audited], files: [] }, null)).toMatchObject({ iterations: [3, 3] })
    expect(sourceInView({ runs: [], files: [] }, null)).toBeNull()
  })
})
