/** What the window's own scheme serves, and everything else that it must not. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileFor, reportUrl } from './app-files.ts'
import { pagePolicy, reportPolicy } from './content-policy.ts'

const study = 'study-20261129-1604-ab12'
const serve = (path: string) =>
  fileFor(`app://recompense${path}`, '/pages', (id) => (id === study ? '/home/report.html' : undefined))

describe('app:// addresses', () => {
  it('serve the built page and its parts under the page policy', () => {
    expect(serve('/')).toEqual({ path: join('/pages', 'index.html'), extension: '.html', policy: pagePolicy })
    expect(serve('/assets/index-x.js')?.path).toBe(join('/pages', 'assets/index-x.js'))
  })

  it('serve the report of a study under a policy that runs nothing', () => {
    expect(serve(reportUrl(study))).toEqual({ path: '/home/report.html', extension: '.html', policy: reportPolicy })
    expect(reportPolicy).toMatch(/^sandbox;/)
    expect(reportPolicy).not.toContain('script-src')
    expect(pagePolicy).not.toMatch(/script-src[^;]*unsafe/)
  })

  it.each(['/report/study-20261129-1604-zzzz/', '/report/..%2f..%2fstore/', '/..%2f..%2fsecret', '/%00', '/%E0%A4%A'])(
    'refuse %s',
    (path) => expect(serve(path)).toBeUndefined(),
  )

  it('never lead out of the pages', () => {
    expect(serve('/%2e%2e/%2e%2e/secret')?.path).toBe(join('/pages', 'secret'))
  })

  it('refuse other hosts and schemes', () => {
    expect(fileFor('app://elsewhere/index.html', '/pages', () => undefined)).toBeUndefined()
    expect(fileFor('https://recompense/index.html', '/pages', () => undefined)).toBeUndefined()
  })
})
