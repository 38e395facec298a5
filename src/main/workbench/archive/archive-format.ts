/** What an exported study looks like inside. */
import { z } from 'zod'

export const archiveFormat = 'recompense-study'
export const archiveVersion = 1
export const manifestName = 'manifest.json'
export const recordsName = 'records.json'
/** Files of the study folder stand below this one. */
export const filesFolder = 'study/'

const hash = z.string().regex(/^[0-9a-f]{64}$/)

export const archiveManifestSchema = z.strictObject({
  format: z.literal(archiveFormat),
  version: z.literal(archiveVersion),
  /** Schema number of the store that the records come from. */
  store_version: z.int(),
  study_id: z.string(),
  /** Every other entry of the archive. */
  files: z.record(z.string(), z.strictObject({ sha256: hash, bytes: z.int().nonnegative() })),
})
export type ArchiveManifest = z.infer<typeof archiveManifestSchema>
