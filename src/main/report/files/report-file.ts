/** A file of the report before it is on disk. */

export interface ReportFile {
  /** Relative to the report's folder, `/` between parts; at most one folder deep. */
  readonly path: string
  readonly bytes: Uint8Array
}

export function textFile(path: string, text: string): ReportFile {
  return { path, bytes: Buffer.from(text, 'utf8') }
}
