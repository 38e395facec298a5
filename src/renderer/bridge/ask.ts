/** One question to the workbench: its answer, or an error with the workbench's own words. */
import type { Answers, Bridge, RequestName, RequestParameters } from '../../shared/ipc.ts'

export async function ask<Name extends RequestName>(
  bridge: Bridge,
  name: Name,
  parameters: RequestParameters<Name>,
): Promise<Answers[Name]> {
  const reply = await bridge.call(name, parameters)
  if (!reply.ok) throw new Error(reply.message)
  return reply.value
}

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
