/** Branded ids: readable, sortable by creation time, and never mistaken for one another. */

export type StudyId = string & { readonly __brand: 'StudyId' }
export type RunId = string & { readonly __brand: 'RunId' }

const studyPattern = /^study-\d{8}-\d{4}-[0-9a-z]{4}$/
const runPattern = /^run-\d{8}-\d{4}-[0-9a-z]{4}-[a-z0-9-]{1,40}$/

export const isStudyId = (text: string): text is StudyId => studyPattern.test(text)
export const isRunId = (text: string): text is RunId => runPattern.test(text)

/** `study-20261129-1604-ab12`: UTC minute, then two digits of time within the minute and two drawn ones. */
export function newStudyId(now: Date, random: () => number): StudyId {
  return `study-${stamp(now, random)}` as StudyId
}

/** `run-20261129-1604-ab12-sft`; `what` is lower-case letters, digits and dashes. */
export function newRunId(now: Date, random: () => number, what: string): RunId {
  const id = `run-${stamp(now, random)}-${what}`
  if (!isRunId(id)) throw new Error(`"${what}" cannot be part of a run id`)
  return id
}

/** Milliseconds within the minute, in base 36 with two digits (46 ms each), keep ids of one minute in order. */
function stamp(now: Date, random: () => number): string {
  const iso = now.toISOString()
  const withinMinute = Math.floor(((now.getUTCSeconds() * 1000 + now.getUTCMilliseconds()) / 60_000) * 1296)
  const drawn = Math.floor(random() * 1296)
  const pair = (value: number) => value.toString(36).padStart(2, '0')
  return `${iso.slice(0, 10).replaceAll('-', '')}-${iso.slice(11, 13)}${iso.slice(14, 16)}-${pair(withinMinute)}${pair(drawn)}`
}
