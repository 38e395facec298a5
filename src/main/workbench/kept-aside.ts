/** A damaged file of choices is kept under another name, never overwritten: what is in it may be wanted. */
import { existsSync, renameSync } from 'node:fs'
import { basename } from 'node:path'

/** @returns what became of it, in one sentence */
export function keepAside(file: string): string {
  let number = 1
  while (existsSync(`${file}.damaged-${number}`)) number += 1
  const kept = `${file}.damaged-${number}`
  try {
    renameSync(file, kept)
    return `${basename(file)} is damaged: it was kept as ${basename(kept)} and the defaults are in use`
  } catch {
    return `${basename(file)} is damaged; the defaults are in use`
  }
}
