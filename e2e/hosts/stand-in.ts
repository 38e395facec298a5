/** The bundled main, preload and page under the stand-in of Electron's API. It does not show that Electron runs them. */
import { launchSim } from '../sim/harness.ts'
import type { Launch, Opened } from './opened.ts'

export async function launchStandIn({ dir, context, watch }: Launch): Promise<Opened> {
  const page = await context.newPage()
  watch(page)
  const sim = await launchSim(page, { env: { RECOMPENSE_HOME: dir } })
  await sim.loaded
  return {
    page,
    another: undefined,
    close: async () => {
      await sim.close()
      await page.close()
      if (sim.violations.length > 0) throw new Error(sim.violations.join('; '))
    },
  }
}
