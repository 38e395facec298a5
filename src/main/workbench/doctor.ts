/** Can this machine do it? One check a question, each with its figure and, where it fails, what to do. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { byteText } from '../../shared/byte-text.ts'
import type { Check } from '../../shared/study-document.ts'
import { makeFolder } from '../engine/checkpoint/make-folder.ts'
import { runningJob } from '../store/compute-lock.ts'
import { openStore, sqliteVersion, storeFile } from '../store/open-store.ts'
import { freeBytes } from './disk-space.ts'
import { defaultThreads } from './processor-cores.ts'
import { packageVersion } from './provenance.ts'
import { recordedRunBytes, type StorageUsed, storageUsed } from './storage-used.ts'

const gigabyte = 1e9
const gigabytes = (bytes: number) => `${(bytes / gigabyte).toFixed(1)} GB`
/** Below this the embedded study still runs, a real half-billion-parameter base does not. */
const comfortableMemory = 8 * gigabyte
const leastDisk = gigabyte

export interface Doctor {
  /** Whether no check failed. */
  readonly ok: boolean
  readonly checks: readonly Check[]
}

/** Never throws: a home that cannot be used is a failed check. */
export async function doctorChecks(home: string, codeVersion: string): Promise<Doctor> {
  const checks: Check[] = [
    { name: 'program', status: 'ok', detail: codeVersion },
    nodeCheck(),
    await runtimeCheck(),
    {
      name: 'processor',
      status: 'ok',
      detail: `${cpus()[0]?.model.trim() ?? 'unknown'}; ${defaultThreads()} threads by default`,
    },
    memoryCheck(),
    writeCheck(home),
    diskCheck(home),
    ...storeChecks(home),
  ]
  return { ok: checks.every(({ status }) => status !== 'failed'), checks }
}

function nodeCheck(): Check {
  const detail = `Node ${process.versions.node}, Node-API ${process.versions.napi ?? 'unknown'}`
  const ok = Number(process.versions.napi ?? 0) >= 10
  return { name: 'node', status: ok ? 'ok' : 'failed', detail: ok ? detail : `${detail}; install Node 22.14 or newer` }
}

async function runtimeCheck(): Promise<Check> {
  const version = packageVersion('onnxruntime-node') ?? 'unknown'
  try {
    const { listSupportedBackends } = await import('onnxruntime-node')
    const devices = listSupportedBackends().map(({ name, bundled }) => `${name}${bundled ? '' : ' (needs setup)'}`)
    return { name: 'devices', status: 'ok', detail: `onnxruntime ${version}: ${devices.join(', ')}` }
  } catch (error) {
    return { name: 'devices', status: 'failed', detail: `onnxruntime ${version} does not load: ${messageOf(error)}` }
  }
}

function memoryCheck(): Check {
  const detail = `${gigabytes(totalmem())} in all, ${gigabytes(freemem())} free`
  if (totalmem() >= comfortableMemory) return { name: 'memory', status: 'ok', detail }
  return { name: 'memory', status: 'warning', detail: `${detail}; enough for the embedded model only` }
}

function writeCheck(home: string): Check {
  const probe = join(home, `.write-check-${process.pid}`)
  try {
    makeFolder(home)
    writeFileSync(probe, 'x', { flush: true })
    rmSync(probe)
    return { name: 'write access', status: 'ok', detail: home }
  } catch (error) {
    return { name: 'write access', status: 'failed', detail: `${messageOf(error)}; choose another folder with --home` }
  }
}

function diskCheck(home: string): Check {
  try {
    const free = freeBytes(home)
    const detail = `${gigabytes(free)} free in ${home}`
    return free >= leastDisk
      ? { name: 'disk', status: 'ok', detail }
      : { name: 'disk', status: 'warning', detail: `${detail}; a study may not fit` }
  } catch (error) {
    return { name: 'disk', status: 'failed', detail: messageOf(error) }
  }
}

function storeChecks(home: string): Check[] {
  if (!existsSync(storeFile(home)) && !existsSync(join(home, 'studies'))) {
    return [{ name: 'store', status: 'ok', detail: 'none yet; the first study makes it' }]
  }
  try {
    const store = openStore(home)
    try {
      const { db } = store
      const verdict = String(db.pragma('integrity_check(1)', { simple: true }))
      const dangling = (db.pragma('foreign_key_check') as unknown[]).length
      const sound = verdict === 'ok' && dangling === 0
      const job = runningJob(db)
      return [
        storageCheck(home, recordedRunBytes(db)),
        { name: 'sqlite', status: 'ok', detail: sqliteVersion(db) },
        {
          name: 'store',
          status: sound ? 'ok' : 'failed',
          detail: sound
            ? `${storeFile(home)} is sound`
            : `${storeFile(home)}: ${verdict}, ${dangling} dangling references`,
        },
        { name: 'job', status: 'ok', detail: job === null ? 'none is running' : `${job.what} (process ${job.pid})` },
      ]
    } finally {
      store.close()
    }
  } catch (error) {
    return [storageCheck(home, new Map()), { name: 'store', status: 'failed', detail: messageOf(error) }]
  }
}

function storageCheck(home: string, recorded: ReadonlyMap<string, number>): Check {
  try {
    return { name: 'storage', status: 'ok', detail: storageText(storageUsed(home, recorded)) }
  } catch (error) {
    return { name: 'storage', status: 'warning', detail: messageOf(error) }
  }
}

function storageText({ studies, runs, trajectories, cache, store, complete }: StorageUsed): string {
  const all = byteText(studies + runs + trajectories + cache + store)
  const parts = Object.entries({ studies, runs, trajectories, cache, store })
    .filter(([, amount]) => amount > 0)
    .map(([name, amount]) => `${name} ${byteText(amount)}`)
  return `${complete ? '' : 'more than '}${all} used${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
