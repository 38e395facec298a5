/**
 * A corpus on disk: written whole or not at all, and read back only after every file has been hashed, the populations
 * audited and every derived file compared with what the populations say.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { BadInput } from '../../../shared/bad-input.ts'
import { writingFile } from '../checkpoint/disk-fault.ts'
import { followLinks } from '../checkpoint/output-file.ts'
import { auditCorpus, type CorpusAudit, CorpusAuditFailure } from './audit.ts'
import { type Corpus, defaultCorpusSeed, generateCorpus } from './corpus.ts'
import { corpusFiles, corpusSources } from './corpus-layout.ts'

export const corpusManifest = 'manifest.json'

export interface CorpusManifest {
  readonly dataset: CorpusAudit['dataset']
  readonly seed: number
  readonly audit: CorpusAudit
  /** SHA-256 of every file but the manifest, by path with forward slashes. */
  readonly files: Readonly<Record<string, string>>
}

/**
 * Generates the corpus of `seed`, audits it and writes it to `dir`, which must not exist or be empty. Files are
 * written to a sibling folder that takes the name once all are on disk. Throws BadInput where `dir` is taken.
 */
export function writeCorpusDir(dir: string, seed: number = defaultCorpusSeed): CorpusManifest {
  const target = followLinks(dir)
  refuseTaken(dir, target)
  const corpus = generateCorpus(seed)
  const audit = auditCorpus(corpus)
  const files = corpusFiles(corpus)
  const manifest: CorpusManifest = {
    dataset: audit.dataset,
    seed,
    audit,
    files: Object.fromEntries([...files].map(([path, content]) => [path, sha256(content)])),
  }
  const partial = join(dirname(target), `.${basename(target)}.partial-${process.pid}`)
  try {
    rmSync(partial, { recursive: true, force: true })
    for (const [path, content] of [...files, [corpusManifest, `${JSON.stringify(manifest, null, 1)}\n`] as const]) {
      writingFile(join(dir, path), () => writeThrough(join(partial, path), content))
    }
    // An empty folder in the way is the user's own target; a rename onto it fails on some systems.
    if (existsSync(target)) rmdirSync(target)
    renameSync(partial, target)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw unusablePath(dir, error) ?? error
  }
  return manifest
}

/**
 * Reads a corpus folder back and verifies all of it. Throws BadInput naming the file that is missing, extra, changed
 * or inconsistent, or the audit check that fails.
 */
export function readCorpusDir(dir: string): { corpus: Corpus; manifest: CorpusManifest; audit: CorpusAudit } {
  const manifest = readManifest(dir)
  verifyFiles(dir, manifest)
  const read = <T>(path: string, schema: z.ZodType<T>): T => {
    const result = schema.safeParse(parseJson(join(dir, path)))
    if (!result.success) throw schemaFault(join(dir, path), result.error)
    return result.data
  }
  const corpus: Corpus = {
    seed: manifest.seed,
    pages: read(corpusSources.pages, z.array(pageSchema)),
    labels: read(corpusSources.labels, z.array(labelSchema)),
    warm: read(corpusSources.warm, z.array(pageSchema)),
    warm_labels: read(corpusSources.warm_labels, z.array(warmLabelSchema)),
    rollouts: read(corpusSources.rollouts, z.array(pageSchema)),
  }
  const audit = auditOrBadInput(dir, corpus)
  if (!isDeepStrictEqual(audit, manifest.audit)) {
    throw new BadInput(join(dir, corpusManifest), 'its audit is not the audit of these files', 'audit')
  }
  // Hashes can be rewritten together with a file. The dataset is what the generator makes of the seed, to the byte.
  for (const [path, content] of corpusFiles(generateCorpus(manifest.seed))) {
    if (manifest.files[path] !== sha256(content)) {
      throw new BadInput(join(dir, path), `not the rows of ${manifest.dataset} for seed ${manifest.seed}`)
    }
  }
  return { corpus, manifest, audit }
}

/** Re-hashes every file, re-audits, and returns the audit. Throws as `readCorpusDir`. */
export function auditCorpusDir(dir: string): CorpusAudit {
  return readCorpusDir(dir).audit
}

function refuseTaken(dir: string, target: string): void {
  if (!existsSync(target)) return
  if (!statSync(target).isDirectory()) throw new BadInput(dir, 'is a file; a corpus needs a folder')
  if (existsSync(join(target, corpusManifest))) {
    throw new BadInput(dir, 'already holds a corpus, which is never overwritten; choose another folder')
  }
  if (readdirSync(target).length > 0) throw new BadInput(dir, 'is not empty; choose another folder')
}

/** A path that cannot take a folder is the user's to change; a full disk, for one, is not. */
function unusablePath(dir: string, error: unknown): BadInput | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['ENOTDIR', 'EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(code)
    ? new BadInput(dir, `cannot be written to: ${code}`)
    : undefined
}

function readManifest(dir: string): CorpusManifest {
  const path = join(dir, corpusManifest)
  if (!existsSync(dir)) throw new BadInput(dir, 'does not exist')
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new BadInput(dir, `holds no corpus: ${corpusManifest} is missing`)
  const result = manifestSchema.safeParse(parseJson(path))
  if (!result.success) throw schemaFault(path, result.error)
  for (const name of corpusFiles(generateCorpus(result.data.seed)).keys()) {
    if (!Object.hasOwn(result.data.files, name)) throw new BadInput(path, 'has no hash for a file of the corpus', name)
  }
  // The audit's own content is judged by comparison with a fresh one.
  return result.data as unknown as CorpusManifest
}

function verifyFiles(dir: string, manifest: CorpusManifest): void {
  const found = new Set(listFiles(dir))
  found.delete(corpusManifest)
  for (const [path, recorded] of Object.entries(manifest.files)) {
    if (!found.delete(path)) throw new BadInput(join(dir, path), 'is missing')
    const actual = sha256(readFileSync(join(dir, path)))
    if (actual !== recorded) {
      throw new BadInput(join(dir, path), `changed: its SHA-256 is ${actual}, recorded is ${recorded}`)
    }
  }
  for (const path of [...found].sort()) throw new BadInput(join(dir, path), 'is not part of the corpus')
}

/** Relative paths, forward slashes, of everything in a folder that is not itself a folder. */
function listFiles(dir: string, prefix = ''): string[] {
  return readdirSync(join(dir, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    return entry.isDirectory() ? listFiles(dir, path) : [path]
  })
}

function auditOrBadInput(dir: string, corpus: Corpus): CorpusAudit {
  try {
    return auditCorpus(corpus)
  } catch (error) {
    if (error instanceof CorpusAuditFailure) throw new BadInput(dir, error.message, `check ${error.check}`)
    throw error
  }
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new BadInput(path, `is not JSON: ${error.message}`)
    throw error
  }
}

function schemaFault(path: string, error: z.ZodError): BadInput {
  const issue = error.issues[0]!
  return new BadInput(path, issue.message, issue.path.length > 0 ? issue.path.join('.') : undefined)
}

function writeThrough(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'wx')
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal')
const pageSchema = z.strictObject({
  document_id: z.string(),
  family: z.string(),
  split: z.enum(['train', 'validation', 'test', 'probe']),
  population: z.enum(['pair', 'probe', 'warmstart', 'rollout']),
  prompt: z.string(),
  content_sha256: hash,
})
const labelSchema = z.union([
  z.strictObject({ document_id: z.string(), expected_action: z.int(), chosen: z.string(), rejected: z.string() }),
  z.strictObject({
    document_id: z.string(),
    expected_action: z.int(),
    candidate_response: z.string(),
    candidate_correct: z.boolean(),
    candidate_polite: z.boolean(),
  }),
])
const warmLabelSchema = z.strictObject({ document_id: z.string(), response: z.string() })
const manifestSchema = z.strictObject({
  dataset: z.literal('OfficeHelpPrefs-v1'),
  seed: z.int(),
  audit: z.record(z.string(), z.unknown()),
  files: z.record(z.string(), hash),
})
