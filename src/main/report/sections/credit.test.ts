import { describe, expect, it } from 'vitest'
import { studyCredit } from '../fixture/credit.ts'
import { fixtureDocument } from '../fixture/study-document.ts'
import type { Block } from '../section.ts'
import { itemsOf } from '../walk.ts'
import { creditSection } from './credit.ts'
import { refusalsOf } from './credit-tables.ts'
import { reportSections } from './outline.ts'

const document = fixtureDocument()
const [section] = creditSection({ ...document, credit: studyCredit() })
const items = itemsOf(section === undefined ? [] : [section])
const table = (id: string) => items.find((item) => item.kind === 'table' && item.table.id === id)
const kinds = (blocks: readonly Block[]) => blocks.map(({ kind }) => kind)

describe('the credit section', () => {
  it('is there where gradients were audited, after PPO, and nowhere else', () => {
    const { credit: _, ...without } = document
    const ids = (of: typeof document) => reportSections(of).map(({ id }) => id)
    expect(ids(without)).not.toContain('credit')
    expect(ids({ ...without, credit: studyCredit() })).toEqual(
      ids(without).toSpliced(ids(without).indexOf('ppo') + 1, 0, 'credit'),
    )
  })

  it('shows the shares of the last update that had a gradient, and each audited update in a row', () => {
    const shares = items.find((item) => item.kind === 'figure' && item.figure.id === 'figure-credit-shares')
    if (shares?.kind !== 'figure' || shares.figure.chart.kind !== 'signed-bars') throw new Error('no bars')
    expect(shares.figure.title).toBe('Shares by rollout at update 151')
    const sum = shares.figure.chart.rows.reduce((total, { values }) => total + (values[0] ?? 0), 0)
    expect(sum).toBeCloseTo(1, 6)
    const readings = table('table-credit-readings')
    expect(readings?.kind === 'table' && readings.table.rows).toHaveLength(5)
  })

  it('has readings of token weights and studies of single steps where there are any, and nothing of them elsewhere', () => {
    const steps = table('table-credit-datc-steps')
    if (steps?.kind !== 'table') throw new Error('no table')
    expect(steps.table.rows.map(({ cells }) => cells.slice(0, 2))).toEqual([
      ['the policy before PPO', 'AdamW, rate 5e−6'],
      ['the policy before PPO', 'plain gradient'],
    ])
    expect(steps.table.rows[0]?.cells[4]).toMatchObject({ value: 0.14 })
    expect(steps.table.rows[1]?.cells[4]).toMatchObject({ value: null, text: 'no spread' })
    expect(table('table-credit-datc')).toMatchObject({ table: { rows: [{ cells: expect.arrayContaining(['1–3']) }] } })
    const { datc: _, ...without } = studyCredit()
    const [plain] = creditSection({ ...document, credit: without })
    expect(JSON.stringify(plain)).not.toContain('DATC')
  })

  it('says what was refused, with numbers and remedy', () => {
    expect(refusalsOf(studyCredit())).toEqual([
      'Update 199: the gradient was exactly zero, so nothing has a share of it.',
      'Audit by turn of iteration 3, step conservation: AdamW: its step is no sum over parts.',
      'Audit by turn of all iterations: every advantage is zero, so the update is zero and nothing has a share of it (largest_advantage 0.000). Choose a method whose advantages differ.',
    ])
    expect(kinds(section?.blocks ?? [])).toContain('list')
  })

  it('says of each audit whose parameters and which objective it is of, and where others sampled', () => {
    const audits = table('table-credit-audits')
    if (audits?.kind !== 'table') throw new Error('no table')
    const at = audits.table.columns.findIndex(({ label }) => label === 'Policy')
    expect(audits.table.columns[at + 1]?.label).toBe('Objective')
    const objective = 'mean over responses of the token mean of A log π (response-mean)'
    expect(audits.table.rows.map(({ cells }) => cells.slice(at, at + 2))).toEqual([
      ['the policy after the run; other parameters sampled these', objective],
      ['the policy before the run', objective],
    ])
    const asked = items.find((item) => item.kind === 'figure' && item.figure.id === 'figure-credit-asked-shares')
    const caption = asked?.kind === 'figure' ? asked.figure.caption : ''
    expect(caption).toContain(`The gradient at the policy after the run of J = ${objective}; advantages: gae`)
    expect(caption).toContain('Other parameters sampled these rollouts')
  })

  it('compares every estimator with that of the trainer, and names those without their fields', () => {
    const methods = table('table-credit-methods')
    if (methods?.kind !== 'table') throw new Error('no table')
    const texts = methods.table.rows.map(({ cells }) =>
      cells.map((cell) => (typeof cell === 'string' ? cell : cell.text)),
    )
    expect(texts).toEqual([
      ['monte-carlo:none', '0.0100', '0.200', '0.400', '0.610', '75.0%', '21'],
      ['gae', '0.0100', '0.300', '0.600', '1.000', '100.0%', '0'],
      ['mbpo', '0', '0', '0', '—', '0.0%', '0'],
    ])
    const notes = (section?.blocks ?? []).flatMap((block) => (block.kind === 'text' ? [block.text] : []))
    const nothing = notes.find((text) => text.startsWith('mbpo'))
    expect(nothing).toContain('0 for every token')
    expect(nothing).toContain('Every group of these rollouts holds one')
    const unfed = table('table-credit-methods-refused')
    expect(unfed?.kind === 'table' && unfed.table.rows[0]?.cells).toEqual([
      'gigpo',
      'needs state_key',
      'The desk records it',
    ])
  })

  it('stands with kept audits alone, and with zero gradients alone', () => {
    const { audits, readings } = studyCredit()
    const [asked] = creditSection({ ...document, credit: { readings: [], audits, methods: null } })
    expect(kinds(asked?.blocks ?? [])).toEqual(['subheading', 'figures', 'table', 'text', 'subheading', 'list', 'text'])
    const zero = readings.filter(({ reading }) => reading === null)
    const [none] = creditSection({ ...document, credit: { readings: zero, audits: [], methods: null } })
    expect(kinds(none?.blocks ?? [])).toEqual(['subheading', 'list', 'text'])
  })
})
