/**
 * What a window may ask of the workbench: every request with its parameters and its answer. The preload bridge exposes
 * `call` and nothing else; parameters are checked against these schemas before any work.
 */
import { z } from 'zod'
import type { StudyDocument, StudyListing } from './study-document.ts'

const studyParameters = z.strictObject({ study_id: z.string().min(1).max(100) })

export const requestSchemas = {
  'app.info': z.strictObject({}),
  'studies.list': z.strictObject({}),
  'studies.show': studyParameters,
} as const

export type RequestName = keyof typeof requestSchemas
export type RequestParameters<Name extends RequestName> = z.infer<(typeof requestSchemas)[Name]>

export interface Answers {
  readonly 'app.info': { readonly version: string; readonly home: string }
  readonly 'studies.list': readonly StudyListing[]
  readonly 'studies.show': {
    readonly study: StudyDocument
    /** Address of the study's HTML report, for a sandboxed frame; null until one is written. */
    readonly report_url: string | null
  }
}

export type RequestHandlers = {
  readonly [Name in RequestName]: (parameters: RequestParameters<Name>) => Promise<Answers[Name]>
}

/** An answer or a refusal; errors travel as words, never as stack traces. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

/** The object that the preload bridge puts on `window`. */
export interface Bridge {
  call<Name extends RequestName>(name: Name, parameters: RequestParameters<Name>): Promise<Reply<Answers[Name]>>
}
