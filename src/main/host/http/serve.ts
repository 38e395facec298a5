/** The workbench for a browser, from the page to the store: opens it, prints nothing, ends when told. */
import { BadInput } from '../../../shared/bad-input.ts'
import { openWorkbench, type Workbench } from '../../workbench/workbench.ts'
import { openRequests } from '../requests.ts'
import { exportUrl } from '../served-file.ts'
import { type HttpHost, openHttpHost } from './http-host.ts'

export interface ServeOptions {
  readonly home: string
  readonly port: number
  /** Folder of the built page. */
  readonly pages: string
  readonly open?: (home: string) => Workbench
}

/** Throws `BadInput` for a data folder or port that cannot be used. */
export async function serveWorkbench({ home, port, pages, open }: ServeOptions): Promise<HttpHost> {
  const requests = openRequests(home, { kind: 'browser', pick: async () => null, exportUrl }, open ?? openDefault)
  const { problem } = await requests.handlers['app.info']({})
  if (problem !== null)
    throw new BadInput(home, problem.startsWith(`${home}: `) ? problem.slice(home.length + 2) : problem)
  try {
    const host = await openHttpHost({ port, requests, places: { pages, reportFolder: requests.reportFolder } })
    const close = async () => {
      await host.close()
      await requests.close()
    }
    return { ...host, close }
  } catch (error) {
    await requests.close()
    throw error
  }
}

const openDefault = (home: string): Workbench => openWorkbench({ home })
