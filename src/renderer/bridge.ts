/** The workbench as the window sees it. */
import type { Answers, Bridge, RequestName, RequestParameters } from '../shared/ipc.ts'

declare global {
  interface Window {
    readonly recompense?: Bridge
  }
}

export const bridge = window.recompense

/** The answer, or an Error with the workbench's words. */
export async function ask<Name extends RequestName>(
  to: Bridge,
  name: Name,
  parameters: RequestParameters<Name>,
): Promise<Answers[Name]> {
  const reply = await to.call(name, parameters)
  if (!reply.ok) throw new Error(reply.message)
  return reply.value
}
