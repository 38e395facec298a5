/**
 * What every stage that computes one result and learns nothing has in common: a stop ends it with nothing written, and its summary
 * says that the learned states it read are as they were. What it computes is the caller's.
 */
import type { StageSummary } from '../../../shared/stage.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import { peakRssBytes } from '../runtime/memory.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'
import { PhaseClock, type StageRun } from './stage-run.ts'

/** Ends a reading between two batches; no fault. */
class StopAsked extends Error {}

export interface ReadingStage<T> {
  readonly stage: StageSummary['stage']
  /** As the summary's seconds name it. */
  readonly phase: string
  readonly context: StageContext
  /** By name; null where the base alone is read. */
  readonly roles: Readonly<Record<string, Role | null>>
  /** @param report says how far it is and is to be awaited between batches: there a stop ends the work */
  readonly read: (report: (phase: string, done: number, total: number) => Promise<void>) => Promise<T>
  /** Puts the whole result into the run folder. */
  readonly write: (result: T) => void
  /** Of the result, where its parameters are what was read. */
  readonly parametersOf?: (result: T) => number
}

/** Throws as `read` and `write`; Error where a learned state changed while it was only read. */
export async function readingStage<T>(
  { stage, phase, context, roles, read, write, parametersOf }: ReadingStage<T>,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const before = hashesOf(roles)
  const clock = new PhaseClock()
  let result: { readonly value: T } | null = null
  try {
    const value = await clock.time(phase, () =>
      read(async (now, done, total) => {
        run.progress(now, done, total)
        if (await run.boundary()) throw new StopAsked()
      }),
    )
    write(value)
    result = { value }
  } catch (error) {
    if (!(error instanceof StopAsked)) throw error
  }
  const after = hashesOf(roles)
  const changed = Object.keys(before).find((name) => before[name] !== after[name])
  if (changed !== undefined) throw new Error(`the ${changed} changed while it was only read`)
  return {
    stage,
    status: result === null ? 'interrupted' : 'finished',
    updates: 0,
    total: 0,
    learnedSha256: after,
    initialSha256: before,
    baseSha256: context.base.sha256(),
    trainableParameters: result === null ? 0 : (parametersOf?.(result.value) ?? 0),
    seconds: clock.seconds,
    peakRssBytes: peakRssBytes(),
  }
}

function hashesOf(roles: ReadingStage<unknown>['roles']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(roles).flatMap(([name, role]) => (role === null ? [] : [[name, learnedSha256(role.state)]])),
  )
}
