/** A data folder that cannot be used: the window opens, says why in one sentence, and changes nothing. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { storeFile } from '../store/open-store.ts'
import { openFake } from '../workbench/fake-bench.ts'
import { answer } from './answer.ts'
import { openRequests } from './requests.ts'

const openOn = (home: string) => openRequests(home, { kind: 'browser', pick: async () => null, exportUrl: () => null })

describe('a home that cannot be used', () => {
  it.each([
    ['a damaged store', 'not a database at all', /is damaged and was left as it is/],
    ['an empty store', '', /is damaged/],
  ])('says so for %s, and answers what needs no store', async (_what, content, words) => {
    const home = mkdtempSync(join(tmpdir(), 'damaged-'))
    writeFileSync(storeFile(home), content)
    const damaged = openOn(home)
    const info = await damaged.handlers['app.info']({})
    expect(info.problem).toMatch(words)
    expect(await answer(damaged.handlers, 'studies.list', {})).toEqual({ ok: false, message: info.problem })
    expect(await answer(damaged.handlers, 'jobs.start', { kind: 'study', preset: 'embedded' })).toMatchObject({
      ok: false,
    })
    expect((await damaged.handlers['doctor.run']({})).ok).toBe(false)
    expect(readFileSync(storeFile(home), 'utf8')).toBe(content)
    await damaged.close()
    rmSync(home, { recursive: true })
  })

  it.each([
    ['is a file', 'file', /is not a folder/],
    ['lies below a file', 'file/home', /is not a folder/],
    ['cannot be made', '/proc/none', /cannot be created here|permission|read-only/],
  ])('says so where it %s', async (_what, place, words) => {
    const root = mkdtempSync(join(tmpdir(), 'unusable-'))
    writeFileSync(join(root, 'file'), 'kept')
    const home = resolve(root, place)
    const unusable = openOn(home)
    const info = await unusable.handlers['app.info']({})
    expect(info.problem).toMatch(words)
    expect(await answer(unusable.handlers, 'runs.list', {})).toEqual({ ok: false, message: info.problem })
    expect((await unusable.handlers['doctor.run']({})).ok).toBe(false)
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('kept')
    await unusable.close()
    rmSync(root, { recursive: true })
  })

  it('says so for a store of a newer version', async () => {
    const home = mkdtempSync(join(tmpdir(), 'newer-'))
    const bench = openFake(home)
    bench.store.db.pragma('user_version = 900')
    bench.close()
    const newer = openOn(home)
    expect((await newer.handlers['app.info']({})).problem).toMatch(/newer version of this program/)
    rmSync(home, { recursive: true })
  })
})
