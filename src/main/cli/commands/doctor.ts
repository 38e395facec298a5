/** `recompense doctor`: can this machine do it? */
import { BadInput } from '../../../shared/bad-input.ts'
import { codeVersion } from '../../code-version.ts'
import { define } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { checksText } from '../study-text.ts'
import { requireCreatable } from '../user-path.ts'

export const doctor = define<Record<string, never>>({
  name: 'doctor',
  summary: 'check versions, devices, memory, disk, write access and the store',
  options: [],
  details: `The exit status is 1 where a check fails.
Result: ok, checks[{name, status: ok | warning | failed, detail}].`,
  example: 'doctor --json',
  run: async (context) => {
    const { ok, checks } = await examine(context)
    return { json: { ok, checks }, text: () => checksText(context.style, checks), exitCode: ok ? 0 : 1 }
  },
})

async function examine({ home }: CommandContext) {
  try {
    requireCreatable(home)
  } catch (error) {
    if (!(error instanceof BadInput)) throw error
    return { ok: false, checks: [{ name: 'data folder', status: 'failed' as const, detail: error.message }] }
  }
  const { doctorChecks } = await import('../../workbench/doctor.ts')
  return doctorChecks(home, codeVersion)
}
