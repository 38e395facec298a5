/** Answers one request of a window: known name, checked parameters, and errors as words. Knows nothing of Electron. */
import { type Answers, type Reply, type RequestHandlers, type RequestName, requestSchemas } from '../../shared/ipc.ts'

export async function answer(
  handlers: RequestHandlers,
  name: unknown,
  parameters: unknown,
): Promise<Reply<Answers[RequestName]>> {
  if (!isRequestName(name)) return { ok: false, message: 'unknown request' }
  const parsed = requestSchemas[name].safeParse(parameters)
  if (!parsed.success) {
    // Only our own words are for people: what the schema library says is of types and unions.
    const own = parsed.error.issues.find(({ code }) => code === 'custom')
    const fault = own === undefined ? 'the parameters do not fit' : `${own.path.join('.')} ${own.message}`
    return { ok: false, message: `${name}: ${fault}` }
  }
  try {
    const handler = handlers[name] as (checked: unknown) => Promise<Answers[RequestName]>
    return { ok: true, value: await handler(parsed.data) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

function isRequestName(name: unknown): name is RequestName {
  return typeof name === 'string' && Object.hasOwn(requestSchemas, name)
}
