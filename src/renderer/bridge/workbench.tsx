/** The workbench as every component reaches it: the bridge, the answers, the job and the connection, made once. */
import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react'
import type { Bridge } from '../../shared/ipc.ts'
import { AnswerStore } from './answer-store.ts'
import { ConnectionStore } from './connection-store.ts'
import { JobStore } from './job-store.ts'

export interface Workbench {
  readonly bridge: Bridge
  readonly answers: AnswerStore
  readonly job: JobStore
  readonly connection: ConnectionStore
}

export function workbenchOver(bridge: Bridge): Workbench {
  const answers = new AnswerStore(bridge)
  const job = new JobStore(bridge)
  const connection = new ConnectionStore(bridge, () => {
    answers.refreshAll()
    job.refresh()
  })
  return { bridge, answers, job, connection }
}

const Context = createContext<Workbench | undefined>(undefined)

export function WorkbenchProvider({ workbench, children }: { workbench: Workbench; children: ReactNode }) {
  return <Context value={workbench}>{children}</Context>
}

export function useWorkbench(): Workbench {
  const workbench = useContext(Context)
  if (workbench === undefined) throw new Error('no workbench above this component')
  return workbench
}

export function useConnected(): boolean {
  const { connection } = useWorkbench()
  return useSyncExternalStore(connection.watch, connection.connected)
}
