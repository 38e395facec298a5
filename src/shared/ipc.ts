/**
 * What a window may ask of the workbench and what it is told unasked: every request with its parameters and its answer,
 * and the events. Both hosts (Electron's bridge, the browser's loopback socket) carry exactly this; parameters are
 * checked against these schemas before any work. There is nothing here that the command line lacks.
 */
import { z } from 'zod'
import { longestCaption } from './caption-limit.ts'
import {
  auditJobSchema,
  type CreditAnswers,
  creditRequestSchemas,
  datcJobSchema,
  datcStudyJobSchema,
  deskJobSchema,
} from './credit-requests.ts'
import { deskRulesSchema } from './desk-rules-schema.ts'
import { outcomeStages } from './group-run.ts'
import { pathSchema as path } from './path-schema.ts'
import type { GroupIterationPoint, GroupUpdatePoint } from './run-points.ts'
import type { LearningJob, PpoObservation, Rollout } from './stage.ts'
import type {
  Check,
  IterationPoint,
  PpoUpdatePoint,
  RunRecord,
  RunStatus,
  StudyDocument,
  StudyListing,
  UpdatePoint,
  ValidationPoint,
} from './study-document.ts'
import type { StudyProgress } from './study-progress.ts'
import type { RubricVerdict } from './study-results.ts'
import type { StudyConfig } from './training-config.ts'

const id = z.string().min(1).max(100)
const studyParameters = z.strictObject({ study_id: id })
const device = z.enum(['auto', 'cpu', 'webgpu', 'cuda', 'dml', 'coreml'])
const compute = { device: device.optional(), threads: z.number().int().positive().optional() }

/** Stages that learn on rows of one's own. */
export const trainableStages = ['sft', 'reward', 'ppo', 'dpo', ...outcomeStages] as const

const learningRequests = [
  z.strictObject({
    kind: z.literal('study'),
    preset: z.enum(['embedded', 'minimum']),
    /** Differences from the preset. */
    settings: z.record(z.string(), z.unknown()).optional(),
    model: path.optional(),
    name: z.string().min(1).max(200).optional(),
    verify_resume: z.boolean().optional(),
    ...compute,
  }),
  z.strictObject({ kind: z.literal('resume'), study_id: id, model: path.optional() }),
  z.strictObject({
    kind: z.literal('train'),
    stage: z.enum(trainableStages),
    model: path,
    data: path,
    validation: path.optional(),
    init_adapter: path.optional(),
    reward_adapter: path.optional(),
    /** PPO and the group trainers: episodes of the desk; `data` then holds its tasks. */
    environment: z.literal('desk').optional(),
    /** Differences from the desk's usual rules. */
    rules: deskRulesSchema.partial().optional(),
    /** Folder that gets the adapter. */
    out: path,
    settings: z.record(z.string(), z.unknown()).optional(),
    ...compute,
  }),
] as const
/** What the wizards start. `settings` are checked in full by the workbench; unknown keys are refused with the nearest known one. */
export const learningRequestSchema = z.discriminatedUnion('kind', learningRequests)
export type LearningRequest = z.infer<typeof learningRequestSchema>
/** Everything that the one compute job can be. */
export const jobRequestSchema = z.discriminatedUnion('kind', [
  ...learningRequests,
  z.strictObject({ ...auditJobSchema, ...compute }),
  z.strictObject({ ...datcJobSchema, ...compute }),
  z.strictObject({ ...datcStudyJobSchema, ...compute }),
  z.strictObject({ ...deskJobSchema, ...compute }),
])
export type JobRequest = z.infer<typeof jobRequestSchema>

export const themes = ['system', 'light', 'dark'] as const
export const preferencesSchema = z.strictObject({
  theme: z.enum(themes),
  device,
  /** 0: one per physical core. */
  threads: z.number().int().nonnegative(),
  model_folders: z.array(path).max(100),
})
export type Preferences = z.infer<typeof preferencesSchema>

const sectionIds = z.array(z.string().max(100)).max(100)
const figureWidth = z.enum(['single', 'double'])
/** By the id of a figure or table. */
const captions = z.record(z.string().max(100), z.string().max(longestCaption))
/** Of a report: what is in it and how it is shown. Absent: everything, with the report's own captions and widths. */
const reportShown = {
  sections: sectionIds.optional(),
  figure_width: figureWidth.optional(),
  captions: captions.optional(),
}

/** What was chosen for a study's report, kept with the study. Sections left out, so that new ones are in at first. */
export const reportChoiceSchema = z.strictObject({
  left_out: sectionIds,
  /** Null: each figure as wide as it needs. */
  figure_width: figureWidth.nullable(),
  captions,
})
export type ReportChoice = z.infer<typeof reportChoiceSchema>

export const rowKinds = ['demonstration', 'pair', 'prompt'] as const

export const requestSchemas = {
  'app.info': z.strictObject({}),
  'studies.list': z.strictObject({}),
  'studies.show': studyParameters,
  'runs.list': z.strictObject({}),
  'runs.show': z.strictObject({ run_id: id }),
  'runs.log': z.strictObject({ run_id: id }),
  'rollouts.list': studyParameters,
  'rollouts.show': z.strictObject({ study_id: id, rollout_id: id }),
  'jobs.current': z.strictObject({}),
  'jobs.estimate': learningRequestSchema,
  'jobs.start': jobRequestSchema,
  'jobs.pause': z.strictObject({}),
  'jobs.resume': z.strictObject({}),
  'jobs.stop': z.strictObject({}),
  'corpus.preview': z.strictObject({ seed: z.number().int() }),
  'rows.check': z.strictObject({ file: path, kind: z.enum(rowKinds), model: path.optional() }),
  'settings.check': z.strictObject({
    stage: z.enum(['study', 'sft', 'reward', 'ppo', 'group', 'dpo']),
    yaml: z.string().max(65536),
  }),
  'report.sections': studyParameters,
  'report.choice': studyParameters,
  'report.choose': z.strictObject({ study_id: id, choice: reportChoiceSchema }),
  'report.preview': z.strictObject({ study_id: id, ...reportShown }),
  'report.export': z.strictObject({
    study_id: id,
    formats: z.array(z.enum(['html', 'json', 'pdf', 'latex', 'csv', 'svg'])).min(1),
    ...reportShown,
    /** Absent: the study's own report folder. */
    out: path.optional(),
  }),
  'models.list': z.strictObject({}),
  'preferences.get': z.strictObject({}),
  'preferences.set': preferencesSchema,
  'doctor.run': z.strictObject({}),
  'studies.verify': studyParameters,
  ...creditRequestSchemas,
  /** Electron: the system's dialog. Browser: null, and the window offers a text field. */
  'files.pick': z.strictObject({ what: z.enum(['file', 'folder', 'new-folder']), title: z.string().max(200) }),
} as const

export type RequestName = keyof typeof requestSchemas
export type RequestParameters<Name extends RequestName> = z.infer<(typeof requestSchemas)[Name]>

export interface RunListing {
  readonly run_id: string
  readonly study_id: string | null
  readonly study_name: string | null
  readonly stage: string
  readonly purpose: string
  readonly preset: string | null
  readonly model: string
  readonly status: RunStatus
  readonly created_at: string
  readonly updates: number
  readonly total: number
}

export interface RunView {
  readonly run: RunRecord
  readonly study_id: string | null
  readonly preset: string | null
  readonly updates: readonly UpdatePoint[]
  readonly ppo_updates: readonly PpoUpdatePoint[]
  readonly iterations: readonly IterationPoint[]
  /** Of a run that learns from groups of rollouts; `updates` holds what its updates share with other runs'. */
  readonly group?: {
    readonly updates: readonly GroupUpdatePoint[]
    readonly iterations: readonly GroupIterationPoint[]
  }
  readonly validations: readonly ValidationPoint[]
  /** Resident memory of the stage process after each commit, by the last update of it. */
  readonly memory: readonly MemoryPoint[]
}

export interface MemoryPoint {
  readonly update: number
  readonly rss_bytes: number
}

/**
 * `session`: begin and device; `phase`; `commit`: updates safe on disk, at most one line a second; `request`: what was
 * asked of the run; `state`: what it did of it; `stderr` of the stage process; `failure` and `end`.
 */
export const logKinds = ['session', 'phase', 'commit', 'request', 'state', 'note', 'stderr', 'failure', 'end'] as const
export type LogKind = (typeof logKinds)[number]

export interface LogLine {
  /** ISO, UTC. */
  readonly at: string
  readonly kind: LogKind
  readonly text: string
}

/** What happened while a run ran, oldest first. */
export interface RunLogView {
  readonly lines: readonly LogLine[]
  /** Lines that gave way, so that a log stays short: every other commit first. */
  readonly left_out: number
}

/** A rollout without its token arrays, with the rubric's verdict given after the fact (null for prompts of one's own). */
export interface RolloutListing
  extends Pick<
    Rollout,
    | 'rollout_id'
    | 'prompt_id'
    | 'text'
    | 'finish_reason'
    | 'learned_reward_score'
    | 'reward_parts'
    | 'sampled_actor_reference_logratio'
  > {
  readonly iteration: number
  readonly response_tokens: number
  readonly rubric: RubricVerdict | null
}

export interface RolloutAudit {
  readonly update: number
  /** Of this rollout's tokens; those of all rollouts of the update add up to 1. */
  readonly token_shares: readonly number[]
  /** |Σ over all tokens of the update − 1|. */
  readonly conservation_error: number
  /** Rollouts of the update. */
  readonly rollouts: number
}

export interface RolloutView {
  readonly rollout: Rollout & { readonly iteration: number }
  /** Text of each prompt and response token, for the lattice's cells. */
  readonly prompt_tokens: readonly string[]
  readonly response_tokens: readonly string[]
  readonly rubric: RubricVerdict | null
  readonly observations: readonly (PpoObservation & { readonly update: number })[]
  /** Where its iteration's updates were audited while the run learned: its exact shares of each update's gradient. */
  readonly audits: readonly RolloutAudit[]
}

/** The one job of a home: it survives the window. */
export interface JobView {
  readonly kind: JobRequest['kind']
  readonly title: string
  readonly study_id: string | null
  readonly run_id: string | null
  readonly started_at: string
  /** `waiting` before the first progress. A job that ended stays here until the next one starts. */
  readonly state: 'waiting' | 'running' | 'paused' | 'stopping' | 'finished' | 'interrupted' | 'failed'
  /** For `failed`: what went wrong. For `stopping`: when it takes effect. */
  readonly message: string | null
  readonly progress: StudyProgress | null
  /** Set where another program of this machine runs it (the command line): it cannot be paused or stopped from here. */
  readonly other_process?: number
}

export interface Estimate {
  /** Null where nothing comparable was ever measured on this machine: no guess. */
  readonly seconds: number | null
  /** What the seconds are taken from, in words. */
  readonly basis: string
  readonly disk_bytes: number
  readonly free_bytes: number
  readonly memory_bytes: number
  /** What the stage will not be able to see, and what is unusual about these settings. */
  readonly notes: readonly string[]
  readonly settings: StudyConfig | LearningJob['config']
  readonly command: string
}

export interface RowsCheck {
  readonly rows: number
  /** At most 200, in line order; `problem_count` counts all. */
  readonly problems: readonly { readonly line: number | null; readonly id: string | null; readonly problem: string }[]
  readonly problem_count: number
  readonly sample: readonly Readonly<Record<string, unknown>>[]
}

export interface CorpusPreview {
  readonly audit: Readonly<Record<string, unknown>>
  readonly pairs: readonly {
    readonly id: string
    readonly split: string
    readonly prompt: string
    readonly chosen: string
    readonly rejected: string
  }[]
  readonly demonstrations: readonly { readonly id: string; readonly prompt: string; readonly completion: string }[]
  readonly prompts: readonly { readonly id: string; readonly prompt: string }[]
  readonly probes: readonly { readonly id: string; readonly prompt: string; readonly candidate: string }[]
}

export interface ModelListing {
  readonly folder: string
  readonly name: string
  readonly parameters: number | null
  /** Why it cannot be used, in one sentence; null when it can. */
  readonly problem: string | null
  readonly embedded: boolean
}

export interface Answers extends CreditAnswers {
  readonly 'app.info': {
    readonly version: string
    readonly home: string
    readonly host: 'electron' | 'browser'
    readonly embedded_model: string
    /** Why the data folder cannot be used, in one sentence; every request but this and `doctor.run` is then refused with it. */
    readonly problem: string | null
  }
  readonly 'studies.list': readonly StudyListing[]
  readonly 'studies.show': {
    readonly study: StudyDocument
    /** Address of the study's HTML report, for a sandboxed frame; null until one is written. */
    readonly report_url: string | null
  }
  readonly 'runs.list': readonly RunListing[]
  readonly 'runs.show': RunView
  readonly 'runs.log': RunLogView
  readonly 'rollouts.list': readonly RolloutListing[]
  readonly 'rollouts.show': RolloutView
  readonly 'jobs.current': JobView | null
  readonly 'jobs.estimate': Estimate
  readonly 'jobs.start': JobView
  readonly 'jobs.pause': JobView | null
  readonly 'jobs.resume': JobView | null
  readonly 'jobs.stop': JobView | null
  readonly 'corpus.preview': CorpusPreview
  readonly 'rows.check': RowsCheck
  readonly 'settings.check': {
    readonly values: Readonly<Record<string, unknown>> | null
    readonly problem: string | null
    readonly line: number | null
  }
  readonly 'report.sections': readonly {
    readonly id: string
    readonly title: string
    readonly required: boolean
    /** Its figures and tables, which can have captions of the reader's own. */
    readonly items: readonly {
      readonly id: string
      readonly kind: 'figure' | 'table'
      /** A figure's name; a table's caption. */
      readonly title: string
      readonly caption: string
      /** False for raw data that paper leaves out. */
      readonly printed: boolean
    }[]
  }[]
  readonly 'report.choice': { readonly choice: ReportChoice; readonly warning: string | null }
  readonly 'report.choose': { readonly choice: ReportChoice; readonly warning: string | null }
  readonly 'report.preview': { readonly html: string }
  /** `url` is where a browser can download the file; Electron shows the folder. */
  readonly 'report.export': {
    readonly files: readonly { readonly path: string; readonly bytes: number; readonly url: string | null }[]
  }
  readonly 'models.list': readonly ModelListing[]
  readonly 'preferences.get': { readonly preferences: Preferences; readonly warning: string | null }
  readonly 'preferences.set': { readonly preferences: Preferences; readonly warning: string | null }
  readonly 'doctor.run': { readonly ok: boolean; readonly checks: readonly Check[] }
  readonly 'studies.verify': { readonly ok: boolean; readonly checks: readonly Check[] }
  readonly 'files.pick': { readonly path: string } | null
}

export type RequestHandlers = {
  readonly [Name in RequestName]: (parameters: RequestParameters<Name>) => Promise<Answers[Name]>
}

/**
 * Told unasked: the job's progress (at most a few times a second), that something in the store changed, and, by the
 * socket client of the browser alone, whether the workbench can be reached.
 */
export type WindowEvent =
  | { readonly type: 'connection'; readonly connected: boolean }
  | { readonly type: 'job'; readonly job: JobView | null }
  | { readonly type: 'changed'; readonly study_id: string | null }

/** An answer or a refusal; errors travel as words, never as stack traces. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

/** What a host puts before the window: the preload bridge under Electron, a socket client in a browser. */
export interface Bridge {
  call<Name extends RequestName>(name: Name, parameters: RequestParameters<Name>): Promise<Reply<Answers[Name]>>
  /** @returns a function that ends the subscription */
  subscribe(listener: (event: WindowEvent) => void): () => void
}
