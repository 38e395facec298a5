import { expect, it } from 'vitest'
import type { ResumeCheck } from '../../shared/study-document.ts'
import { resumeCheckTable, resumeVerdict } from './resume-check-words.ts'

const check: ResumeCheck = {
  stage: 'ppo',
  interrupted_after: 4,
  unit: 'iterations',
  status: 'ok',
  state_equal: true,
  journal_equal: true,
  continuous_state_sha256: 'a'.repeat(64),
  resumed_state_sha256: 'a'.repeat(64),
  journal_sha256: 'b'.repeat(64),
  resumed_journal_sha256: 'b'.repeat(64),
}

it('says what came of the check, or that nothing has yet', () => {
  expect(resumeVerdict('finished', check)).toMatchObject({
    tone: 'good',
    title: '✓ Resumed equals continuous, byte for byte',
    text: 'Interrupted after 4 iterations, then resumed.',
  })
  expect(resumeVerdict('finished', { ...check, status: 'failed', journal_equal: false }).tone).toBe('bad')
  expect(resumeVerdict('finished', { ...check, interrupted_after: 1, unit: 'epochs' }).text).toContain('after 1 epoch,')
  expect(resumeVerdict('running', null).title).toBe('The check is running')
  expect(resumeVerdict('interrupted', null).title).toBe('The check was cut off')
})

it('keeps both hashes of what was compared', () => {
  expect(resumeCheckTable(check).rows[1]?.cells).toEqual([
    'journal',
    { kind: 'verdict', good: true, text: 'equal' },
    { kind: 'code', text: 'b'.repeat(64) },
    { kind: 'code', text: 'b'.repeat(64) },
  ])
})
