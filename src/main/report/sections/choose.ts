/** Some of the sections; where the numbers come from and what they do not show is always among them. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { Section } from '../section.ts'

const always: readonly string[] = ['provenance', 'limits']

/**
 * @param ids in any order; undefined: all
 * @returns the chosen sections in the report's own order
 * @throws BadInput naming the first section that is not known
 */
export function chosenSections(sections: readonly Section[], ids: readonly string[] | undefined): readonly Section[] {
  if (ids === undefined) return sections
  const known = sections.map((section) => section.id)
  const unknown = ids.find((id) => !known.includes(id))
  if (unknown !== undefined)
    throw new BadInput('--sections', `the report has no section "${unknown}"; it has ${known.join(', ')}`)
  return sections.filter((section) => ids.includes(section.id) || always.includes(section.id))
}
