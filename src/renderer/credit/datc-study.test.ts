import { describe, expect, it } from 'vitest'
import { chartRecords } from '../../main/report/csv/chart-records.ts'
import { tableRecords } from '../../main/report/csv/table-records.ts'
import { drawnPoints } from '../../main/report/svg/plane.ts'
import { groupConfig, presets } from '../../main/workbench/study-config.ts'
import { type SingleStepStudy, studySettings } from '../../shared/datc-study.ts'
import { jobRequestSchema } from '../../shared/ipc.ts'
import {
  fieldValue,
  firstKeys,
  furtherKeys,
  missingFrom,
  type StudyForm,
  studyRequest,
  usualSettings,
} from './datc/study-form.ts'
import { batchTable, studiesTable, studyPoints, summaryTable } from './datc/study-tables.ts'

const form: StudyForm = {
  model: '',
  data: '/prompts.jsonl',
  initAdapter: '/sft',
  rewardAdapter: ' /reward ',
  preset: 'embedded',
  batches: 100,
  values: {},
}

describe('the form of a study of single steps', () => {
  it('shows what the command takes where nothing is said, by either preset', () => {
    for (const preset of ['embedded', 'minimum'] as const) {
      const taken = groupConfig(presets[preset]!)
      const shown = usualSettings(preset)
      for (const key of studySettings) expect([key, shown[key]]).toEqual([key, taken[key]])
    }
    expect([...firstKeys, ...furtherKeys]).toEqual([...studySettings])
  })

  it('asks for what differs alone, in a request that the workbench takes', () => {
    const request = studyRequest(form, '/model')
    expect(request).toEqual({
      kind: 'credit-datc-study',
      model: '/model',
      data: '/prompts.jsonl',
      init_adapter: '/sft',
      reward_adapter: '/reward',
      preset: 'embedded',
      batches: 100,
    })
    const usual = usualSettings('embedded').group_size!
    const changed = { ...form, model: '/own', values: { group_size: usual, seed: 7, ablation: 'shuffled' } }
    expect(studyRequest(changed, '/model')).toMatchObject({
      model: '/own',
      settings: { seed: 7, ablation: 'shuffled' },
    })
    expect(jobRequestSchema.safeParse(studyRequest(changed, '/model')).success).toBe(true)
    expect(fieldValue(changed, 'seed')).toBe(7)
  })

  it('says what is missing', () => {
    expect(missingFrom(form)).toBe(null)
    expect(missingFrom({ ...form, data: ' ' })).toMatch(/prompts/)
    expect(missingFrom({ ...form, initAdapter: '' })).toMatch(/policy/)
    expect(missingFrom({ ...form, rewardAdapter: '' })).toMatch(/reward model/)
    expect(missingFrom({ ...form, batches: 2 })).toMatch(/3 batches/)
    expect(missingFrom({ ...form, values: { learning_rate: 'fast' } })).toBe('a number as Learning rate')
  })
})

const summary = {
  batches: 3,
  spearman: 0.5,
  pearson: null,
  r2: null,
  share_independent_positive: 1,
  share_shared_positive: 2 / 3,
}
const batch = (independent_gain: number, shared_gain: number) => ({
  independent_gain,
  shared_gain,
  shared_gain_plain: 10 * shared_gain,
  informative_groups: 2,
})
const study: SingleStepStudy = {
  rows: [batch(1, 2), batch(2, -1), batch(3, Number.NaN)],
  summary,
  summary_plain: { ...summary, spearman: -1 },
}

describe('a study on the screen', () => {
  it('is a point a batch, X across and P up, and counts what cannot be drawn', () => {
    const chart = studyPoints(study, 'adamw')
    expect(drawnPoints(chart)).toMatchObject({
      drawn: [
        { x: 1, y: 2 },
        { x: 2, y: -1 },
      ],
      missing: 1,
    })
    expect(chartRecords(studyPoints(study, 'plain')).rows.map((row) => row.slice(1))).toEqual([
      [1, 20],
      [2, -10],
      [3, Number.NaN],
    ])
  })

  it('has its statistics of either step, and none where there is no spread', () => {
    const { rows } = summaryTable(study)
    const [, spearman, pearson] = rows
    expect(spearman?.cells[1]).toMatchObject({ value: 0.5 })
    expect(spearman?.cells[2]).toMatchObject({ value: -1 })
    expect(pearson?.cells[1]).toMatchObject({ value: null, text: 'no spread' })
    expect(rows.at(-1)?.cells[1]).toMatchObject({ text: '66.7%' })
  })

  it('stands beside others by what they were asked, with every batch as it was found', () => {
    const listing = {
      run_id: 'r',
      status: 'finished' as const,
      error: null,
      created_at: '2026-01-01T00:00:00Z',
      prompts_name: 'p.jsonl',
      prompts: 2,
      batches: 3,
      config: groupConfig(presets.minimum!),
      seconds: 1,
    }
    const [row] = studiesTable([{ listing, study }]).rows
    expect(row?.cells.slice(0, 3)).toEqual(['p.jsonl', expect.objectContaining({ value: 3 }), '4 × 8'])
    expect(tableRecords(batchTable(study)).rows[1]).toEqual(['batch 2', 2, -1, -10, 2])
  })
})
