/** The place of the credit laboratory in the window's address: which question, of whose rollouts, of which of them. */
import type { CreditSource } from '../../shared/credit-requests.ts'

export const creditTabs = ['shares', 'tokens', 'methods', 'process', 'diagnostics', 'datc', 'desk'] as const
export type CreditTab = (typeof creditTabs)[number]

export interface CreditRoute {
  readonly screen: 'credit'
  readonly tab: CreditTab
  /** Null: the newest run that sampled, else the newest file. */
  readonly source: CreditSource | null
  /** By id; none: all of the source. */
  readonly rollouts: readonly string[]
  /** The kept result that is open, by its run; null: the newest of these rollouts. */
  readonly result: string | null
}

export const plainCredit: CreditRoute = { screen: 'credit', tab: 'shares', source: null, rollouts: [], result: null }

export function creditRouteOf(asked: URLSearchParams): CreditRoute {
  const tab = creditTabs.find((name) => name === asked.get('tab')) ?? 'shares'
  return {
    screen: 'credit',
    tab,
    source: sourceOf(asked),
    rollouts: asked.getAll('rollout'),
    result: asked.get('result') || null,
  }
}

function sourceOf(asked: URLSearchParams): CreditSource | null {
  const [run, file] = [asked.get('run'), asked.get('file')]
  if (file !== null && /^[0-9a-f]{64}$/.test(file)) return { kind: 'file', sha256: file }
  if (!run) return null
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(asked.get('iterations') ?? '')
  const iterations = range === null ? {} : { iterations: [Number(range[1]), Number(range[2])] as [number, number] }
  return { kind: 'run', run_id: run, ...iterations }
}

/** With its question mark; empty where there is nothing to say. */
export function creditQuery({ tab, source, rollouts, result }: CreditRoute): string {
  const query = new URLSearchParams()
  if (tab !== 'shares') query.set('tab', tab)
  if (source?.kind === 'file') query.set('file', source.sha256)
  if (source?.kind === 'run') {
    query.set('run', source.run_id)
    if (source.iterations !== undefined) query.set('iterations', source.iterations.join('-'))
  }
  for (const id of rollouts) query.append('rollout', id)
  if (result !== null) query.set('result', result)
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
