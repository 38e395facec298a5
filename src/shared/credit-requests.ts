/** What the credit screens may ask, with parameters checked before any work; part of the window's requests (`ipc.ts`). */
import { z } from 'zod'
import {
  type CreditResult,
  type CreditResultListing,
  type CreditSources,
  type DeskPlayListing,
  importFormats,
  type KeptTrajectories,
  type MethodFacts,
  type RefusedMethod,
  type TrajectoryList,
  type TrajectoryView,
} from './credit.ts'
import { auditDtypes, type CreditAuditLine, partitions, reductions } from './credit-audit.ts'
import type { CreditComparison, CreditDiagnosis, ProcessReward } from './credit-estimates.ts'
import { ablations } from './credit-run.ts'
import { type DatcStudyListing, type DatcStudyResult, fewestBatches } from './datc-study.ts'
import { deskRulesSchema } from './desk-rules-schema.ts'
import type { DeskSummary, DeskTask } from './desk-views.ts'
import { pathSchema as path } from './path-schema.ts'
import type { TurnConcentration } from './turn-concentration.ts'

const id = z.string().min(1).max(200)
const iteration = z.int().nonnegative()
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const name = z.string().min(1).max(60)
/** Settings of estimators by the names that results give them; checked in full by the estimators. */
const settings = z.record(name, z.union([z.string().max(100), z.number()]))

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

/** Rollouts of a source, by id; absent: all of them. */
const chosen = { source: creditSourceSchema, ids: z.array(id).min(1).max(5000).optional() }

/** Families of tasks, dealt by the seed. */
export const deskSplits = ['train', 'validation', 'test', 'all'] as const

/** Which parameters are asked about: a base model and an adapter, each by its folder; absent: as the source knows them. */
const policy = { model: path.optional(), adapter: path.optional() }

export const creditRequestSchemas = {
  'credit.sources': z.strictObject({}),
  'credit.rollouts': z.strictObject({ source: creditSourceSchema }),
  /** With the text of every token; few at a time. */
  'credit.trajectories': z.strictObject({ source: creditSourceSchema, ids: z.array(id).min(1).max(64) }),
  'credit.keep': z.strictObject({ format: z.enum(importFormats), file: path, tokenizer: path.optional() }),
  'credit.forget': z.strictObject({ sha256: hash }),
  'credit.methods': z.strictObject({}),
  'credit.compare': z.strictObject({ ...chosen, methods: z.array(name).min(1).max(40), settings }),
  'credit.process-reward': z.strictObject(chosen),
  'credit.diagnose': z.strictObject({ ...chosen, method: name.optional() }),
  /** What was computed and kept, newest first. */
  'credit.results': z.strictObject({}),
  'credit.result': z.strictObject({ run_id: id }),
  /** What a learning run recorded of the gradients of every k-th update. */
  'credit.recorded': z.strictObject({ run_id: id }),
  /** Studies of single steps that were made and kept, newest first. */
  'credit.datc-studies': z.strictObject({}),
  'credit.datc-study': z.strictObject({ run_id: id }),
  'desk.tasks': z.strictObject({ split: z.enum(deskSplits), task_seed: z.int() }),
  /** Null where the rollouts are not the desk's. */
  'desk.summary': z.strictObject(chosen),
  'desk.plays': z.strictObject({}),
  /** From kept audits by turn and by rollout. */
  'credit.concentration': z.strictObject(chosen),
} as const

export interface CreditAnswers {
  readonly 'credit.sources': CreditSources
  readonly 'credit.rollouts': TrajectoryList
  readonly 'credit.trajectories': readonly TrajectoryView[]
  readonly 'credit.keep': KeptTrajectories
  readonly 'credit.forget': CreditSources
  readonly 'credit.methods': readonly MethodFacts[]
  readonly 'credit.compare': {
    /** Null where no chosen method can be fed. */
    readonly comparison: CreditComparison | null
    readonly refused: readonly RefusedMethod[]
  }
  readonly 'credit.process-reward': ProcessReward
  readonly 'credit.diagnose': CreditDiagnosis
  readonly 'credit.results': readonly CreditResultListing[]
  readonly 'credit.result': CreditResult
  readonly 'credit.recorded': readonly CreditAuditLine[]
  readonly 'credit.datc-studies': readonly DatcStudyListing[]
  readonly 'credit.datc-study': DatcStudyResult
  readonly 'desk.tasks': readonly DeskTask[]
  readonly 'desk.summary': DeskSummary | null
  readonly 'desk.plays': readonly DeskPlayListing[]
  readonly 'credit.concentration': {
    /** Null where an audit is missing, or its gradient was zero. */
    readonly concentration: TurnConcentration | null
    readonly missing: readonly ('turn' | 'rollout')[]
  }
}

// ---- what the job queue computes -------------------------------------------------------------------------------------

export const auditJobSchema = {
  kind: z.literal('credit-audit'),
  ...chosen,
  ...policy,
  partition: z.enum(partitions),
  dtype: z.enum(auditDtypes),
  reduction: z.enum(reductions),
  advantages: z.union([z.literal('recorded'), z.strictObject({ method: name, settings })]),
  step: z.strictObject({ optimizer: name.regex(/\S/), learning_rate: z.number().positive() }).optional(),
} as const

export const datcJobSchema = {
  kind: z.literal('credit-datc'),
  ...chosen,
  ...policy,
  reward_adapter: path,
  max_weight: z.number().gt(1).max(1e6),
  ablation: z.enum(ablations),
  seed: z.int(),
} as const

/** Takes no rollouts: it samples its own. */
export const datcStudyJobSchema = {
  kind: z.literal('credit-datc-study'),
  model: path,
  /** JSONL rows {id, prompt}. */
  data: path,
  init_adapter: path,
  reward_adapter: path,
  preset: z.enum(['embedded', 'minimum']),
  /** Differences from the preset's settings of a group trainer; checked in full by the workbench. */
  settings: z.record(z.string(), z.unknown()).optional(),
  batches: z.int().min(fewestBatches).max(100_000),
} as const

export const deskJobSchema = {
  kind: z.literal('desk'),
  from: z.union([
    z.strictObject({ split: z.enum(deskSplits), task_seed: z.int(), tasks: z.int().positive().max(10_000) }),
    z.strictObject(chosen),
  ]),
  model: path,
  adapter: path.optional(),
  reward_adapter: path.optional(),
  rules: deskRulesSchema,
  greedy: z.boolean(),
  seed: z.int(),
  play: z.discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('rollouts'), group_size: z.int().positive().max(256) }),
    z.strictObject({
      mode: z.literal('branch'),
      branches: z.int().positive().max(256),
      at: z.union([z.int().positive(), z.literal('every')]),
    }),
  ]),
} as const
