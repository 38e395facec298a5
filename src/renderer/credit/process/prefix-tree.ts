/** Rollouts of one group as a tree of shared prefixes: tokens that all below share stand together in one node. */
import type { TrajectoryView } from '../../../shared/credit.ts'

export interface PrefixNode {
  /** Text of the node's tokens, in order; actions and observations alike. */
  readonly tokens: readonly PrefixToken[]
  /** Rollouts that pass through it. */
  readonly rollouts: readonly string[]
  /** Mean reward of the graded ones; null where none is. */
  readonly value: number | null
  readonly children: readonly PrefixNode[]
}

export interface PrefixToken {
  readonly text: string
  readonly action: boolean
}

interface Row {
  readonly id: string
  readonly reward: number | null
  readonly tokens: readonly (PrefixToken & { readonly key: string })[]
}

/** Tokens are the same where their ids and roles are; what was asked is the root, left out where all share it. */
export function prefixTree(views: readonly TrajectoryView[]): PrefixNode {
  const rows = views.map(({ trajectory, token_texts }): Row => {
    const first = trajectory.turns.findIndex(({ role }) => role === 'assistant')
    const tokens = trajectory.turns.slice(Math.max(0, first)).flatMap((turn, k) => {
      const at = Math.max(0, first) + k
      return (turn.token_ids ?? []).map((id, index) => ({
        key: `${turn.role} ${id}`,
        text: token_texts[at]?.[index] ?? `#${id}`,
        action: turn.role === 'assistant',
      }))
    })
    return { id: trajectory.id, reward: trajectory.reward, tokens }
  })
  return nodeOf(rows, 0)
}

function nodeOf(rows: readonly Row[], from: number): PrefixNode {
  let to = from
  const [first] = rows
  if (first !== undefined) {
    while (to < first.tokens.length && rows.every((row) => row.tokens[to]?.key === first.tokens[to]?.key)) to++
  }
  const branches = new Map<string, Row[]>()
  for (const row of rows) {
    const next = row.tokens[to]
    if (next === undefined) continue
    branches.set(next.key, [...(branches.get(next.key) ?? []), row])
  }
  const graded = rows.flatMap(({ reward }) => (reward === null ? [] : [reward]))
  return {
    tokens: (first?.tokens ?? []).slice(from, to).map(({ text, action }) => ({ text, action })),
    rollouts: rows.map(({ id }) => id),
    value: graded.length === 0 ? null : graded.reduce((sum, reward) => sum + reward, 0) / graded.length,
    children: [...branches.values()].map((branch) => nodeOf(branch, to)),
  }
}
