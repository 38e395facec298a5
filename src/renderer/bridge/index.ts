/** What the screens import to talk to the workbench. */
export { ask, wordsOf } from './ask.ts'
export { type Answer, useAnswer } from './use-answer.ts'
export { type UseJob, useJob } from './use-job.ts'
export { useConnected, useWorkbench, type Workbench, WorkbenchProvider, workbenchOver } from './workbench.tsx'
