/** Text from data as inert HTML, isolated where its direction could spill over into its surroundings. */
import { element, escapeMarkup } from '../svg/element.ts'

/** Hebrew to Arabic Extended, presentation forms, the right-to-left planes, and the direction controls themselves. */
const directional =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

export function textOf(text: string): string {
  const escaped = escapeMarkup(text)
  return directional.test(text) ? element('bdi', {}, escaped) : escaped
}
