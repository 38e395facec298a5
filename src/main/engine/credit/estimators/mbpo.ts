/** Branch-relative credit: where rollouts of a group part, each way on is compared with its siblings. */
import { mean, standardDeviation } from '../../study/statistics.ts'
import { allEqual } from './baselines.ts'
import type { Method, Rollout } from './method.ts'
import { actionTurns, refuse, turnField } from './recorded.ts'
import type { Cut, Normalisation } from './settings.ts'

/** Beside the siblings' standard deviation (ddof 1). */
const epsilon = 1e-6

/** A rollout as the pieces between which it could have gone another way. */
export interface Piece {
  readonly kind: 'action' | 'observation'
  /** Equal contents have equal keys. */
  readonly key: string
}

interface Node {
  readonly children: Map<string, Node>
  readonly kind: Piece['kind']
  sum: number
  leaves: number
}

export interface Branch {
  /** Mean outcome of the rollouts that took it. */
  readonly value: number
  /** Ways that were taken from here, this one included. */
  readonly siblings: number
  readonly advantage: number
}

/**
 * `V(b)` = mean outcome of the rollouts below branch b; `A_b = V(b) − mean of V over b and its siblings`, each sibling
 * once; with `mean-std` divided by (std + ε). An only child gives 0.
 * @returns a branch for each action piece of each rollout
 */
export function branchAdvantages(
  rollouts: readonly (readonly Piece[])[],
  outcomes: readonly number[],
  normalise: Normalisation,
): Branch[][] {
  const root: Node = { children: new Map(), kind: 'observation', sum: 0, leaves: 0 }
  rollouts.forEach((pieces, i) => {
    let node = root
    for (const { kind, key } of pieces) {
      const name = `${kind} ${key}`
      const child = node.children.get(name) ?? { children: new Map(), kind, sum: 0, leaves: 0 }
      node.children.set(name, child)
      child.sum += outcomes[i]!
      child.leaves += 1
      node = child
    }
  })
  const compared = new Map<Node, Comparison>()
  const comparisonAt = (parent: Node): Comparison => {
    const known = compared.get(parent) ?? comparisonOf(parent, normalise)
    compared.set(parent, known)
    return known
  }
  return rollouts.map((pieces) => {
    const branches: Branch[] = []
    let node = root
    for (const { kind, key } of pieces) {
      const child = node.children.get(`${kind} ${key}`)!
      if (kind === 'action') branches.push(branchAmong(comparisonAt(node), child))
      node = child
    }
    return branches
  })
}

/** What every branch from one node is compared with: computed once, since a node can have as many as there are rollouts. */
interface Comparison {
  readonly siblings: number
  readonly centre: number
  /** Null where all branches are worth the same. */
  readonly scale: number | null
}

function comparisonOf(parent: Node, normalise: Normalisation): Comparison {
  const values = [...parent.children.values()]
    .filter(({ kind }) => kind === 'action')
    .map(({ sum, leaves }) => sum / leaves)
  const siblings = values.length
  if (allEqual(values)) return { siblings, centre: values[0]!, scale: null }
  return { siblings, centre: mean(values), scale: normalise === 'mean' ? 1 : standardDeviation(values, 1) + epsilon }
}

function branchAmong({ siblings, centre, scale }: Comparison, child: Node): Branch {
  const value = child.sum / child.leaves
  return { value, siblings, advantage: scale === null ? 0 : (value - centre) / scale }
}

/** Turns up to the first action are one observation; a cut by segment joins the turns of a segment, observations too. */
function piecesOf(rollout: Rollout, cut: Cut): { pieces: Piece[]; tokens: number[] } {
  const { trajectory } = rollout
  const actions = new Map(actionTurns(trajectory).map((action, k) => [action.at, { ...action, k }]))
  const segments = cut === 'segment' ? turnField(rollout, 'segment', 'mbpo with cut segment') : null
  const contents: { kind: Piece['kind']; said: unknown[] }[] = []
  const tokens: number[] = []
  let waiting: unknown[] = []
  let segment: number | undefined
  trajectory.turns.forEach((turn, at) => {
    const action = actions.get(at)
    const said = [turn.role, contentOf(rollout, at)]
    if (action === undefined) {
      waiting.push(said)
      return
    }
    const last = contents.at(-1)
    if (segments !== null && last !== undefined && segments[action.k] === segment) {
      last.said = last.said.concat(waiting, [said])
      tokens[tokens.length - 1]! += action.tokens
    } else {
      if (waiting.length > 0) contents.push({ kind: 'observation', said: waiting })
      contents.push({ kind: 'action', said: [said] })
      tokens.push(action.tokens)
    }
    waiting = []
    segment = segments?.[action.k]
  })
  return { pieces: contents.map(({ kind, said }) => ({ kind, key: JSON.stringify(said) })), tokens }
}

function contentOf(rollout: Rollout, at: number): unknown {
  const { token_ids: ids, text } = rollout.trajectory.turns[at]!
  return ids ?? text ?? refuse(rollout, `mbpo needs token_ids in turns[${at}]`)
}

export const mbpo: Method = {
  name: 'mbpo',
  formula:
    'A_b = V(b) − mean of V over b and its siblings;  V(b) = mean outcome of the rollouts through branch b; ÷ (std + ε) with mean-std',
  step: null,
  reads: 'outcome',
  needs: ['token_ids or text of every turn', 'segment (assistant; cut segment)'],
  settings: ['cut', 'normalize'],
  conventions: {
    std_ddof: 1,
    epsilon,
    siblings: 'each branch once, however many rollouts took it',
    only_child: 'gives 0',
  },
  source: 'MBPO (branch-relative advantages over trees of rollouts), for text',
  cannotClaim: 'anything where rollouts never part at the same prefix, as independent samples rarely do',
  estimate: (group, { cut, normalize }) => {
    const cuts = group.map((rollout) => piecesOf(rollout, cut))
    const outcomes = group.map(({ outcome }) => outcome)
    const branches = branchAdvantages(
      cuts.map(({ pieces }) => pieces),
      outcomes,
      normalize,
    )
    return group.map((_, i) => {
      const over = <T>(of: (branch: Branch) => T) =>
        branches[i]!.flatMap((branch, b) => Array<T>(cuts[i]!.tokens[b]!).fill(of(branch)))
      return {
        advantages: over(({ advantage }) => advantage),
        returns: over(({ value }) => value),
        perToken: { siblings: over(({ siblings }) => siblings) },
      }
    })
  },
}
