/** Where a study's numbers come from: versions and machine, recorded when it starts and when it goes on. */
import { readFileSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { programRoot } from '../program-layout.ts'
import type { Provenance } from '../store/facts.ts'
import { type Db, sqliteVersion } from '../store/open-store.ts'

export function machineProvenance(db: Db, codeVersion: string): Provenance {
  return {
    code_version: codeVersion,
    node_version: process.versions.node,
    onnxruntime_version: packageVersion('onnxruntime-node'),
    sqlite_version: sqliteVersion(db),
    platform: platform(),
    architecture: arch(),
    os_release: release(),
    processor: cpus()[0]?.model.trim() ?? null,
    logical_processors: cpus().length,
    memory_bytes: totalmem(),
  }
}

/** Null where the package is not installed in the usual place. */
export function packageVersion(name: string): string | null {
  try {
    const file = join(programRoot, 'node_modules', name, 'package.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  } catch {
    return null
  }
}
