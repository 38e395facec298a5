/** Requests of a window: known, checked, answered in words. */
import { expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import type { Answers, RequestHandlers } from '../../shared/ipc.ts'
import { answer } from './answer.ts'

const info: Answers['app.info'] = { version: '1', home: '/h', host: 'browser', embedded_model: '', problem: null }

const handlers = {
  'app.info': async () => info,
  'studies.list': async () => [],
  'studies.show': async ({ study_id: id }) => {
    throw new BadInput(id, 'is not a study')
  },
} satisfies Partial<RequestHandlers> as unknown as RequestHandlers

it('answers, and refuses what is unknown, does not fit or fails, without a stack', async () => {
  expect(await answer(handlers, 'app.info', {})).toEqual({ ok: true, value: info })
  expect(await answer(handlers, 'toString', {})).toEqual({ ok: false, message: 'unknown request' })
  expect(await answer(handlers, 7, {})).toEqual({ ok: false, message: 'unknown request' })
  expect(await answer(handlers, 'studies.list', { more: 1 })).toMatchObject({ ok: false })
  expect(await answer(handlers, 'credit.keep', { format: 'trajectories', file: 'a\0b' })).toEqual({
    ok: false,
    message: 'credit.keep: file holds a NUL character, which no path can',
  })
  expect(await answer(handlers, 'studies.show', { study_id: 'x' })).toEqual({
    ok: false,
    message: 'x: is not a study',
  })
})
