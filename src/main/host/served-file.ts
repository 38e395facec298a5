/** Which file an address of the window means: its own files, the report of a study, or a file of its export folder. */
import { realpathSync, statSync } from 'node:fs'
import { basename, extname, isAbsolute, join, sep } from 'node:path'
import { isStudyId } from '../../shared/ids.ts'
import { exportPolicy, pagePolicy, reportPolicy } from './content-policy.ts'

export interface ServedFile {
  readonly path: string
  readonly extension: string
  readonly policy: string
  /** Set for what is to be saved, not shown. */
  readonly saveAs?: string
}

export interface ServedPlaces {
  /** Folder of the built window. */
  readonly pages: string
  /** The folder that a study's report is written to; undefined where there is no such study. */
  readonly reportFolder: (studyId: string) => string | undefined
}

/** Address of a study's report within the window's origin. */
export function reportUrl(studyId: string): string {
  return `/report/${encodeURIComponent(studyId)}/`
}

/** Address under which a browser saves a file of a study's export folder; `path` has forward slashes. */
export function exportUrl(studyId: string, path: string): string {
  return `/export/${[studyId, ...path.split('/')].map(encodeURIComponent).join('/')}`
}

/**
 * @param pathname still percent-encoded
 * @returns undefined for everything that is not to be served
 */
export function servedFile(pathname: string, places: ServedPlaces): ServedFile | undefined {
  const parts = decodedParts(pathname)
  if (parts === undefined) return undefined
  const [first, studyId = '', ...rest] = parts
  if (first === 'report' || first === 'export') {
    const folder = isStudyId(studyId) ? places.reportFolder(studyId) : undefined
    if (folder === undefined) return undefined
    if (first === 'report') {
      if (rest.length !== 1 || rest[0] !== '') return undefined
      const path = inside(folder, ['report.html'])
      return path === undefined ? undefined : { path, extension: '.html', policy: reportPolicy }
    }
    const path = inside(folder, rest)
    if (path === undefined) return undefined
    return { path, extension: extname(path), policy: exportPolicy, saveAs: basename(path) }
  }
  const path = inside(places.pages, pathname === '/' ? ['index.html'] : parts)
  return path === undefined ? undefined : { path, extension: extname(path), policy: pagePolicy }
}

function decodedParts(pathname: string): string[] | undefined {
  try {
    return pathname.replace(/^\//, '').split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** A file below `folder` by the names of its parts; links may not lead out of it. */
function inside(folder: string, parts: readonly string[]): string | undefined {
  const bad = (part: string) => part === '' || part === '.' || part === '..' || /[/\\\0]/.test(part) || isAbsolute(part)
  if (parts.length === 0 || parts.some(bad)) return undefined
  try {
    const path = join(folder, ...parts)
    if (!realpathSync(path).startsWith(realpathSync(folder) + sep) || !statSync(path).isFile()) return undefined
    return path
  } catch {
    return undefined
  }
}
