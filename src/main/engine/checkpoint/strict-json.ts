/** JSON with the one check that JSON.parse leaves out: a key that stands twice in an object is refused. */
import { BadInput } from '../../../shared/bad-input.ts'

/**
 * @param subject the file the text came from, for the error
 * @throws BadInput with the line, when the text is not JSON or repeats a key
 */
export function parseStrictJson(text: string, subject: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = /at position (\d+)/.exec(message)
    throw new BadInput(
      subject,
      `is not valid JSON: ${message.replace(/ in JSON at position.*$/s, '').replace(/, ".*$/s, '')}`,
      position === null ? undefined : lineOf(text, Number(position[1])),
    )
  }
  const repeated = findRepeatedKey(text)
  if (repeated !== undefined) {
    throw new BadInput(subject, `the key ${JSON.stringify(repeated.key)} stands twice`, lineOf(text, repeated.position))
  }
  return value
}

function lineOf(text: string, position: number): string {
  let line = 1
  for (let i = text.indexOf('\n'); i !== -1 && i < position; i = text.indexOf('\n', i + 1)) line++
  return `line ${line}`
}

/** The first key that stands twice in one object of a text that is known to be valid JSON. */
export function findRepeatedKey(text: string): { key: string; position: number } | undefined {
  /** Innermost last; null stands for an array. */
  const open: (Set<string> | null)[] = []
  let keyNext = false
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x7b: // {
        open.push(new Set())
        keyNext = true
        break
      case 0x5b: // [
        open.push(null)
        keyNext = false
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        keyNext = false
        break
      case 0x2c: // ,
        keyNext = open.at(-1) instanceof Set
        break
      case 0x22: {
        // "
        const end = stringEnd(text, i)
        if (keyNext) {
          const key: unknown = JSON.parse(text.slice(i, end))
          const keys = open.at(-1)
          if (typeof key === 'string' && keys instanceof Set) {
            if (keys.has(key)) return { key, position: i }
            keys.add(key)
          }
          keyNext = false
        }
        i = end - 1
        break
      }
    }
  }
  return undefined
}

/** Index just behind the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  let i = start + 1
  while (text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1
  return i + 1
}
