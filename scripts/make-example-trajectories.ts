/**
 * Writes resources/examples/trajectories.jsonl: `node scripts/make-example-trajectories.ts [FILE]`. Twelve short rollouts of
 * the office desk in three groups, with every field that an estimator can read. Words and token ids are real (the embedded
 * checkpoint's tokenizer and chat template); log-probabilities, values and scores are drawn, not measured by any model:
 * they follow the outcome loosely, so that methods agree and differ as they do on real rollouts. Same bytes every time.
 */
import { join, resolve } from 'node:path'
import { writeFileAtomically } from '../src/main/engine/checkpoint/atomic-write.ts'
import { openTokenizer } from '../src/main/engine/checkpoint/tokenizer.ts'
import { checkText, findingText } from '../src/main/engine/desk/grammar.ts'
import { PythonRandom } from '../src/main/engine/random/python-random.ts'
import { response } from '../src/main/engine/study/grammar.ts'
import { withTokenIds } from '../src/main/rows/encode-conversation.ts'
import type { Trajectory, Turn } from '../src/shared/trajectory.ts'

const root = resolve(import.meta.dirname, '..')
const random = new PythonRandom(49)
const round = (value: number) => Math.round(value * 1e4) / 1e4
/** Uniform on [-1, 1). */
const noise = () => 2 * random.random() - 1

interface Action {
  readonly said: string
  readonly state: string
  readonly seen?: string
  readonly segment: number
  readonly option: number
  /** Φ of the state; only where the group records step rewards. */
  readonly potential?: number
}
interface Rollout extends Partial<Omit<Trajectory, 'turns'>> {
  readonly id: string
  readonly reward: number | null
  readonly actions: readonly Action[]
}
interface Group {
  readonly group: string
  readonly prompt: string
  /** What the policy's greedy response earned. */
  readonly greedy: number
  readonly rollouts: readonly Rollout[]
}

type Area = Parameters<typeof checkText>[0]
const look = (area: Area, finding: 'fault' | 'fine', state: string, more: Partial<Action> = {}): Action => ({
  said: checkText(area),
  seen: findingText(area, finding),
  state,
  segment: 0,
  option: 0,
  ...more,
})
const answer = (action: Parameters<typeof response>[0], state: string, more: Partial<Action> = {}): Action => ({
  said: response(action, 1, false),
  state,
  segment: 0,
  option: 1,
  ...more,
})

const groups: readonly Group[] = [
  {
    group: 'printer',
    prompt: 'The printer is on but new jobs wait. Give one relevant next step.',
    greedy: 1,
    rollouts: [
      {
        id: 'printer-0',
        reward: 1,
        actions: [look('wifi', 'fine', 'start'), look('queue', 'fault', 'wifi'), answer(0, 'queue wifi')],
      },
      { id: 'printer-1', reward: 0, actions: [look('wifi', 'fine', 'start'), answer(3, 'wifi')] },
      { id: 'printer-2', reward: 1, actions: [look('cable', 'fine', 'start'), answer(0, 'cable')] },
      {
        id: 'printer-3',
        reward: 0,
        verifier_confidence: 0.81,
        actions: [look('wifi', 'fine', 'start'), look('queue', 'fault', 'wifi'), answer(1, 'queue wifi')],
      },
    ],
  },
  {
    group: 'screen',
    prompt: 'The screen stays dark since this morning. Give one relevant next step.',
    greedy: 0,
    rollouts: [
      {
        id: 'screen-0',
        reward: 1,
        actions: [look('cable', 'fault', 'start', { potential: 0 }), answer(1, 'cable', { potential: 0.5 })],
      },
      {
        id: 'screen-1',
        reward: 0,
        actions: [look('wifi', 'fine', 'start', { potential: 0 }), answer(2, 'wifi', { potential: 0.25 })],
      },
      {
        id: 'screen-2',
        reward: 0,
        terminated: false,
        truncated: true,
        bootstrap_value: 0.4,
        final_state_key: 'session wifi',
        actions: [
          look('wifi', 'fine', 'start', { potential: 0 }),
          look('session', 'fine', 'wifi', { potential: 0.25 }),
        ],
      },
      {
        id: 'screen-3',
        reward: 1,
        actions: [
          look('wifi', 'fine', 'start', { potential: 0 }),
          look('cable', 'fault', 'wifi', { potential: 0.25 }),
          answer(1, 'cable wifi', { potential: 0.5 }),
        ],
      },
    ],
  },
  {
    group: 'portal',
    prompt: 'The portal and the editor refuse to save. Give one relevant next step.',
    greedy: 1,
    rollouts: [
      {
        id: 'portal-0',
        reward: 1,
        actions: [
          look('wifi', 'fine', 'start'),
          look('session', 'fault', 'wifi', { segment: 1 }),
          answer(5, 'session wifi', { segment: 1 }),
        ],
      },
      {
        id: 'portal-1',
        reward: 0,
        actions: [look('wifi', 'fine', 'start'), answer(4, 'wifi', { segment: 1 })],
      },
      {
        id: 'portal-2',
        reward: 1,
        actions: [look('session', 'fault', 'start'), answer(5, 'session', { segment: 1 })],
      },
      { id: 'portal-3', reward: null, actions: [look('wifi', 'fine', 'start'), answer(5, 'wifi')] },
    ],
  },
]

const tokenizer = openTokenizer(join(root, 'resources', 'models', 'embedded'))
const encoder = { file: 'examples', tokenizer, eosId: tokenizer.encode('<|im_end|>')[0]! }
const file = resolve(process.argv[2] ?? join(root, 'resources', 'examples', 'trajectories.jsonl'))
const rows = groups.flatMap((group) => group.rollouts.map((rollout) => trajectoryOf(group, rollout)))
writeFileAtomically(file, [Buffer.from(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)])
process.stdout.write(`${rows.length} rollouts in ${file}\n`)

function trajectoryOf({ group, prompt, greedy }: Group, { id, reward, actions, ...more }: Rollout): Trajectory {
  const turns: Turn[] = [
    { role: 'user', text: prompt },
    ...actions.flatMap(({ said, seen, state, segment, option }, k): Turn[] => [
      { role: 'assistant', text: said, state_key: state, segment, option, ...stepReward(actions, k, reward, more) },
      ...(seen === undefined ? [] : [{ role: 'tool', text: seen } as const]),
    ]),
  ]
  const row = {
    id,
    group,
    reward,
    terminated: true,
    truncated: false,
    greedy_reward: greedy,
    base_score: -0.5,
    success: reward === null ? null : reward === 1,
    verifier_confidence: round(Math.min(0.98, Math.max(0.03, 0.2 + 0.6 * (reward ?? 0.5) + 0.15 * noise()))),
    ...more,
    turns,
  }
  return measured(withTokenIds(encoder, { row, line: 0 }), reward ?? 0.5)
}

/** The outcome at the last action, and γΦ(s') − Φ(s) with γ 1 where the group has potentials. */
function stepReward(actions: readonly Action[], k: number, reward: number | null, more: Partial<Trajectory>) {
  const potential = actions[k]!.potential
  if (potential === undefined) return {}
  const last = k === actions.length - 1
  if (last && more.terminated === false) return { potential, reward: 0 }
  return { potential, reward: (last ? (reward ?? 0) : actions[k + 1]!.potential!) - potential }
}

/** Adds the numbers that a policy, a teacher, a critic and a reward model would have left. */
function measured(row: Trajectory, outcome: number): Trajectory {
  const first = row.turns.findIndex(({ role }) => role === 'assistant')
  const tokens = row.turns.slice(first).reduce((sum, { token_ids = [] }) => sum + token_ids.length, 0)
  let seen = 0
  const turns = row.turns.map((turn, k): Turn => {
    if (k < first) return turn
    const ids = turn.token_ids ?? []
    const progress = ids.map((_, t) => (seen + t) / tokens)
    seen += ids.length
    const values = progress.map((part) => round(0.5 + part * (outcome - 0.5) + 0.08 * noise()))
    if (turn.role !== 'assistant') return { ...turn, values }
    const logprobs = ids.map(() => round(-0.02 - 1.6 * random.random() ** 3))
    return {
      ...turn,
      logprobs,
      teacher_logprobs: logprobs.map((value) => round(Math.min(-0.005, value + 0.5 * (outcome - 0.5) + 0.3 * noise()))),
      values,
      retention: ids.map(() => round(0.85 + 0.14 * random.random())),
      prefix_scores: progress.map((part) => round(-0.5 + (part + 1 / tokens) * 2 * (outcome - 0.25) + 0.1 * noise())),
      token_influences: ids.map(() => round((0.3 * (outcome - 0.4) + 0.25 * noise()) / 2)),
    }
  })
  return { ...row, turns }
}
