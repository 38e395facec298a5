/**
 * What a stage process may touch. It reads the program, the base model, its own run folder and the adapters it is
 * given; it writes its run folder and the weight cache; it starts no process and no worker. Held-out rows, gold
 * labels, probes and the store lie in none of these, and that is checked here before the process starts.
 */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import type { StageJob } from '../../shared/stage.ts'
import { statusFile } from '../engine/runtime/memory.ts'

export { programPlaces } from '../program-layout.ts'

export interface StageGrants {
  readonly read: readonly string[]
  readonly write: readonly string[]
}

export interface GrantPlaces {
  /** Folders and files of the program itself: sources, modules, package file. */
  readonly program: readonly string[]
  /** Float32 weights of base models, shared by all stages of a home. */
  readonly cache: string
  /** What no stage may ever read: the store, the corpus with its labels, other studies. */
  readonly forbidden: readonly string[]
}

/**
 * Throws `BadInput` when a folder the job names is missing, or would open a forbidden place to the stage
 * (a base model folder that contains the home, for example).
 */
export function grantsFor(job: StageJob, places: GrantPlaces): StageGrants {
  const given = [job.base, ...adaptersOf(job)]
  for (const path of given) {
    if (!existsSync(path)) throw new BadInput(path, 'does not exist')
  }
  const read = [
    ...places.program.flatMap(both),
    ...given.flatMap(withLinkTargets),
    ...both(job.runDir),
    ...both(places.cache),
  ]
  const write = [...both(job.runDir), ...both(places.cache)]
  const forbidden = places.forbidden.flatMap(both)
  for (const granted of read) {
    // Node takes a * in a grant for "anything that begins like this".
    if (granted.includes('*'))
      throw new BadInput(granted, 'has a * in its name, which access rules take for a wildcard; rename it')
    const held = forbidden.find((place) => contains(granted, place))
    if (held !== undefined)
      throw new BadInput(granted, `holds ${held}, which a learning process must not see; move one of them`)
  }
  for (const folder of [...given, job.runDir, places.cache]) refuseLinksInto(folder, forbidden)
  return { read: [...new Set(read)], write: [...new Set(write)] }
}

/** Node's flags for these grants. Native modules stay allowed: the runtime is one. */
export function permissionFlags(grants: StageGrants): string[] {
  return [
    '--permission',
    '--allow-addons',
    // Its own memory figures; the name leads each process to itself.
    `--allow-fs-read=${statusFile}`,
    ...grants.read.map((path) => `--allow-fs-read=${path}`),
    ...grants.write.map((path) => `--allow-fs-write=${path}`),
  ]
}

/**
 * A link inside a granted folder opens what it leads to, at any depth: none may lead into a forbidden place, and none of
 * the folders a job names may lie in one itself, except where runs and their adapters are kept.
 */
function refuseLinksInto(folder: string, forbidden: readonly string[]): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return
  const check = (path: string, target: string) => {
    const place = forbidden.find((held) => contains(target, held) || (contains(held, target) && !isRun(held, target)))
    if (place !== undefined)
      throw new BadInput(path, `leads into ${place}, which a learning process must not see; remove it`)
  }
  check(folder, realpathSync(folder))
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink() && existsSync(path)) check(path, realpathSync(path))
  }
}

/** Runs and their adapters stand inside the studies: `<studies>/<study>/runs/…` is what stages work in. */
function isRun(place: string, target: string): boolean {
  return relative(place, target).split(sep)[1] === 'runs'
}

function adaptersOf(job: StageJob): string[] {
  return adaptersNamed(job).filter((path) => path !== undefined)
}

function adaptersNamed(job: StageJob): readonly (string | undefined)[] {
  switch (job.stage) {
    case 'generate':
      return [job.adapter, job.referenceAdapter, job.rewardAdapter]
    case 'judge':
      return [job.rewardAdapter]
    case 'device':
      return []
    case 'credit-audit':
      return [job.adapter]
    case 'credit-datc':
    case 'desk':
      return [job.adapter, job.rewardAdapter]
    case 'sft':
    case 'reward':
    case 'dpo':
      return [job.initAdapter]
    case 'credit-datc-study':
    case 'ppo':
    case 'grpo':
    case 'rloo':
    case 'datc':
    case 'red':
    case 'p2t':
    case 'comppo':
    case 'turn-ppo':
      return [job.initAdapter, job.rewardAdapter]
  }
}

/** A model folder of links (a download cache) is granted with the files its links lead to, and no more. */
function withLinkTargets(folder: string): string[] {
  if (!statSync(folder).isDirectory()) return both(folder)
  const targets = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => !contains(realpathSync(folder), path))
  return [...both(folder), ...targets]
}

/** A path as given and as it really is: either may be used to open it. */
function both(path: string): string[] {
  const plain = resolve(path)
  return existsSync(plain) ? [...new Set([plain, realpathSync(plain)])] : [plain, realParent(plain)]
}

function realParent(path: string): string {
  const parent = dirname(path)
  if (parent === path) return path
  const real = existsSync(parent) ? realpathSync(parent) : realParent(parent)
  return join(real, path.slice(parent.length + (parent.endsWith(sep) ? 0 : 1)))
}

function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
