/** Studies for people: the list, one study's stages and headlines, a list of checks. */
import { headlines } from '../../shared/headlines.ts'
import type { Check, ResumeCheck, RunStatus, StageRecord, StudyListing } from '../../shared/study-document.ts'
import type { StudyResults } from '../../shared/study-results.ts'
import { count, duration } from './figures.ts'
import { plainText } from './plain-text.ts'
import type { Style } from './style.ts'
import { facts, table } from './table.ts'

export function statusText(style: Style, status: RunStatus): string {
  const look = { finished: style.good, failed: style.bad, interrupted: style.warn, running: style.strong }
  return status === 'queued' ? style.quiet(status) : look[status](status)
}

export function listText(style: Style, studies: readonly StudyListing[]): string {
  if (studies.length === 0) return 'No study yet. "recompense study run" starts one.'
  return table(
    [
      { title: 'study', cell: (study) => study.study_id },
      { title: 'name', cell: (study) => plainText(study.name) },
      { title: 'status', cell: (study) => statusText(style, study.status) },
      { title: 'next', cell: (study) => study.next_stage ?? '' },
      { title: 'seed', cell: (study) => String(study.seed), align: 'right' },
      { title: 'created (UTC)', cell: (study) => study.created_at.slice(0, 16).replace('T', ' ') },
    ],
    studies,
  )
}

export function stagesText(style: Style, stages: readonly StageRecord[]): string {
  return table(
    [
      { title: 'stage', cell: (stage) => stage.name },
      { title: 'status', cell: (stage) => statusText(style, stage.status) },
      { title: 'updates', cell: (stage) => count(stage.updates), align: 'right' },
      { title: 'time', cell: (stage) => duration(stage.seconds), align: 'right' },
    ],
    stages,
  )
}

interface Shown {
  readonly study_id: string
  readonly status: RunStatus
  readonly stages: readonly StageRecord[]
  readonly results: StudyResults | null
  readonly resume_checks: readonly ResumeCheck[]
  readonly report_files: readonly string[]
}

export function studyText(style: Style, study: Shown): string {
  const figures = headlines(study.results).map(({ name, value }) => [name, value] as const)
  return [
    `${style.strong(study.study_id)}  ${statusText(style, study.status)}`,
    stagesText(style, study.stages),
    ...(figures.length > 0 ? [facts(figures)] : []),
    ...(study.resume_checks.length > 0 ? [facts(study.resume_checks.map(resumeFact))] : []),
    ...(study.report_files.length > 0 ? [facts(study.report_files.map((file) => ['report', file] as const))] : []),
  ].join('\n\n')
}

function resumeFact({ stage, status, interrupted_after: after, unit }: ResumeCheck): readonly [string, string] {
  const verdict = status === 'ok' ? 'equals the continuous run byte for byte' : 'DIFFERS from the continuous run'
  return [`${stage}, interrupted after ${after} ${after === 1 ? unit.slice(0, -1) : unit} and resumed`, verdict]
}

export function checksText(style: Style, checks: readonly Check[]): string {
  const mark = { ok: style.good('✓'), warning: style.warn('!'), failed: style.bad('✗') }
  return table(
    [
      { title: '', cell: (check) => mark[check.status] },
      { title: 'check', cell: (check) => check.name },
      { title: 'detail', cell: (check) => check.detail },
    ],
    checks,
  )
}
