/** Names for groups that a dump does not name itself: rollouts of one step and one prompt belong together. */
import { createHash } from 'node:crypto'

export class GroupNames {
  /** By hash, so that long prompts are not kept. */
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** `prefix` + `prompt-K`, K counting the prompts seen under that prefix. */
  of(prefix: string, prompt: string): string {
    const key = createHash('sha256').update(prefix).update('\0').update(prompt).digest('base64')
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const count = this.#counts.get(prefix) ?? 0
    this.#counts.set(prefix, count + 1)
    const name = `${prefix}prompt-${count}`
    this.#names.set(key, name)
    return name
  }
}
