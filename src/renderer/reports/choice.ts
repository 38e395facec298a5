/** What a report's choice means: which sections are in, what is asked of the workbench, which place is shown. */
import type { Answers, ReportChoice } from '../../shared/ipc.ts'

export type Outline = Answers['report.sections']
export type Section = Outline[number]
export type Item = Section['items'][number]

/** Sections left out, by id; kept rather than those left in, so that new sections are in at first. */
export function chosenIds(outline: Outline, without: readonly string[]): string[] {
  return outline.filter(({ id, required }) => required || !without.includes(id)).map(({ id }) => id)
}

export function toggled(without: readonly string[], id: string, wanted: boolean): string[] {
  const rest = without.filter((one) => one !== id)
  return wanted ? rest : [...rest, id]
}

/** What a preview or an export is asked with; what is not chosen is not said, and what the report no longer has neither. */
export function shownBy(outline: Outline, choice: ReportChoice) {
  const ids = chosenIds(outline, choice.left_out)
  const known = new Set(outline.flatMap(({ items }) => items.map(({ id }) => id)))
  const captions = Object.entries(choice.captions).filter(([id, text]) => known.has(id) && text.trim() !== '')
  return {
    ...(ids.length === outline.length ? {} : { sections: ids }),
    ...(choice.figure_width === null ? {} : { figure_width: choice.figure_width }),
    ...(captions.length === 0 ? {} : { captions: Object.fromEntries(captions) }),
  }
}

export type Shown = ReturnType<typeof shownBy>

/** A caption as typed. What equals the report's own is no caption of one's own; an empty one stands for the report's own. */
export function captioned(
  captions: ReportChoice['captions'],
  { id, caption }: Pick<Item, 'id' | 'caption'>,
  text: string,
): ReportChoice['captions'] {
  const { [id]: _, ...rest } = captions
  return text === caption ? rest : { ...rest, [id]: text }
}

/** The section that an address means, and the figure or table in it; null where the report has no such place. */
export function placeIn(outline: Outline, at: string | null): { section: Section; item: Item | null } | null {
  for (const section of outline) {
    if (section.id === at) return { section, item: null }
    const item = section.items.find(({ id }) => id === at)
    if (item !== undefined) return { section, item }
  }
  return null
}

/** The last part of a path of either kind. */
export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path
export const folderOf = (path: string): string => path.slice(0, path.length - fileName(path).length - 1)
