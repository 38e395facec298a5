/** The small model that comes with the program, found beside it in a checkout and in a package alike. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { findResource } from '../program-resource.ts'

/** The one folder under resources/models. Throws `BadInput` where the installation has none. */
export function embeddedModel(): string {
  const models = findResource('models')
  const names = models === undefined ? [] : readdirSync(models).sort()
  const name = names.find((candidate) => existsSync(join(models ?? '', candidate, 'config.json')))
  if (models === undefined || name === undefined) {
    throw new BadInput('--model', 'this installation has no embedded model; name the folder of a checkpoint')
  }
  return join(models, name)
}
