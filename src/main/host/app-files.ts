/** Which file an `app://` address means: the window's own files, or the HTML report of a study; nothing else. */
import { extname, isAbsolute, join, normalize, sep } from 'node:path'
import { isStudyId } from '../../shared/ids.ts'
import { pagePolicy, reportPolicy } from './content-policy.ts'

export const appOrigin = 'app://recompense'

export interface ServedFile {
  readonly path: string
  readonly extension: string
  readonly policy: string
}

/** Address of a study's report within the app's origin. */
export function reportUrl(studyId: string): string {
  return `/report/${encodeURIComponent(studyId)}/`
}

/**
 * @param pages      folder of the built window
 * @param reportFile the HTML report of a study, where there is one
 * @returns undefined for everything that is not to be served
 */
export function fileFor(
  address: string,
  pages: string,
  reportFile: (studyId: string) => string | undefined,
): ServedFile | undefined {
  const url = new URL(address)
  if (url.protocol !== 'app:' || url.host !== 'recompense') return undefined
  let name: string
  try {
    name = decodeURIComponent(url.pathname)
  } catch {
    return undefined
  }
  const report = /^\/report\/([^/]+)\/$/.exec(name)
  if (report !== null) {
    const studyId = report[1] ?? ''
    const path = isStudyId(studyId) ? reportFile(studyId) : undefined
    return path === undefined ? undefined : { path, extension: '.html', policy: reportPolicy }
  }
  const relative = name === '/' ? 'index.html' : normalize(name.replace(/^\/+/, ''))
  if (relative.includes('\0') || relative.startsWith('..') || isAbsolute(relative) || relative.includes(`..${sep}`)) {
    return undefined
  }
  return { path: join(pages, relative), extension: extname(relative), policy: pagePolicy }
}
