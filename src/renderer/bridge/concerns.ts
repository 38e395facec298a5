/** Which answers may have changed when the workbench says that something did. */
import type { RequestName, WindowEvent } from '../../shared/ipc.ts'

type Changed = Extract<WindowEvent, { type: 'changed' }>

/** Answers that depend on one study, by the `study_id` they were asked with. */
const ofOneStudy: ReadonlySet<RequestName> = new Set([
  'studies.show',
  'rollouts.list',
  'rollouts.show',
  'report.sections',
  'report.preview',
  'report.choice',
])
/** Answers that any change in the store may touch. */
const ofTheStore: ReadonlySet<RequestName> = new Set([
  'studies.list',
  'runs.list',
  'runs.show',
  'runs.log',
  'credit.sources',
  'credit.rollouts',
  'credit.results',
  'credit.result',
  'credit.recorded',
  'credit.datc-studies',
  'credit.datc-study',
  'desk.plays',
  'credit.concentration',
])

export function concerns(event: Changed, name: RequestName, parameters: unknown): boolean {
  if (ofTheStore.has(name)) return true
  if (!ofOneStudy.has(name)) return false
  if (event.study_id === null) return true
  return (parameters as { readonly study_id?: string }).study_id === event.study_id
}
