/** Which sections of the report are in: what is required always is, whatever was ticked before. */
import type { Answers } from '../../shared/ipc.ts'

export type Outline = Answers['report.sections']

/** Sections left out, by id; kept rather than those left in, so that new sections are in at first. */
export function chosenIds(outline: Outline, without: readonly string[]): string[] {
  return outline.filter(({ id, required }) => required || !without.includes(id)).map(({ id }) => id)
}

export function toggled(without: readonly string[], id: string, wanted: boolean): string[] {
  const rest = without.filter((one) => one !== id)
  return wanted ? rest : [...rest, id]
}

/** The last part of a path of either kind. */
export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path
export const folderOf = (path: string): string => path.slice(0, path.length - fileName(path).length - 1)
