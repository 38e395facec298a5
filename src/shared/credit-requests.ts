/** What the credit screens may ask, with parameters checked before any work; part of the window's requests (`ipc.ts`). */
import { z } from 'zod'
import {
  type CreditSources,
  importFormats,
  type KeptTrajectories,
  type TrajectoryList,
  type TrajectoryView,
} from './credit.ts'

const id = z.string().min(1).max(200)
const path = z.string().min(1).max(4096)
const iteration = z.int().nonnegative()
const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** Where rollouts come from: recorded by a run of this home, or brought in as a file and kept by its hash. */
export const creditSourceSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('run'),
    run_id: id,
    /** First and last iteration, both included; absent: all. */
    iterations: z.tuple([iteration, iteration]).optional(),
  }),
  z.strictObject({ kind: z.literal('file'), sha256: hash }),
])
export type CreditSource = z.infer<typeof creditSourceSchema>

export const creditRequestSchemas = {
  'credit.sources': z.strictObject({}),
  'credit.rollouts': z.strictObject({ source: creditSourceSchema }),
  /** With the text of every token; few at a time. */
  'credit.trajectories': z.strictObject({ source: creditSourceSchema, ids: z.array(id).min(1).max(64) }),
  'credit.keep': z.strictObject({ format: z.enum(importFormats), file: path, tokenizer: path.optional() }),
  'credit.forget': z.strictObject({ sha256: hash }),
} as const

export interface CreditAnswers {
  readonly 'credit.sources': CreditSources
  readonly 'credit.rollouts': TrajectoryList
  readonly 'credit.trajectories': readonly TrajectoryView[]
  readonly 'credit.keep': KeptTrajectories
  readonly 'credit.forget': CreditSources
}
