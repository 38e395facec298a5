/**
 * A workbench inside the page that knows one run of any length, with values that no real run may have: NaN, infinities,
 * a constant, one finite point between gaps; and 5,000 rollouts. Given to `addInitScript`, so it stands alone.
 * `window.longRun` grows the run.
 */
export interface LongRun {
  /** Adds updates and says that the store changed, as a live run does. */
  readonly grow: (updates: number) => void
}

export function longRunBridge(length: number): void {
  const updates: object[] = []
  const add = (count: number) => {
    for (let index = 0; index < count; index++) {
      const update = updates.length + 1
      const gap = update % 1000 > 990
      const noise = Math.sin(update * 12.9898) * 0.2
      const loss = update === 123_457 ? 50 : update % 50_000 === 0 ? Number.POSITIVE_INFINITY : 3 + noise
      const lone = update === 100_000 ? 0.001 : Number.NaN
      updates.push({
        update,
        epoch: 1,
        learning_rate: lone,
        loss: gap ? Number.NaN : loss,
        grad_norm: 1,
        denominator: 8,
      })
    }
  }
  add(length)
  const listeners = new Set<(event: object) => void>()
  const progress = () => ({
    study_id: null,
    run_id: 'run-long',
    stage: 'train',
    phase: 'training',
    done: updates.length,
    total: 2 * length,
    value: updates.length / (2 * length),
    rate: 12.5,
    seconds_left: 90,
    state: 'running',
    suspended_seconds: 0,
    metrics: {},
  })
  const job = () => ({
    kind: 'train',
    title: 'Long run',
    study_id: null,
    run_id: 'run-long',
    started_at: '2026-11-29T16:04:00.000Z',
    state: 'running',
    message: null,
    progress: progress(),
  })
  const run = () => ({
    run_id: 'run-long',
    stage: 'sft',
    purpose: 'main',
    status: 'running',
    config: { seed: 49, gradient_clip: 1 },
    device: 'cpu',
    threads: 2,
    base_sha256: null,
    data_sha256: {},
    code_version: '0.1.0',
    parents: [],
    created_at: '2026-11-29T16:04:00.000Z',
    started_at: '2026-11-29T16:04:01.000Z',
    finished_at: null,
    updates: updates.length,
    total: 2 * length,
    error: null,
    initial_learned_sha256: {},
    final_learned_sha256: {},
    trainable_parameters: 1000,
    peak_rss_bytes: null,
    seconds: {},
  })
  const answers: Readonly<Record<string, () => unknown>> = {
    'app.info': () => ({ version: '0', home: '/home', host: 'browser', embedded_model: '/model' }),
    'studies.list': () => [],
    'runs.list': () => [],
    'runs.log': () => ({ lines: [], left_out: 0 }),
    'rollouts.list': () =>
      Array.from({ length: 5000 }, (_, index) => ({
        rollout_id: `rollout-${index}`,
        prompt_id: `prompt-${index % 700}`,
        text: `A next step is to check the printer queue of desk ${index} and then look again.`,
        finish_reason: index % 9 === 0 ? 'length' : 'eos',
        learned_reward_score: Math.sin(index),
        reward_parts: { judge: Math.sin(index), kl: -0.01, truncation: 0 },
        sampled_actor_reference_logratio: 0.01,
        iteration: 1 + Math.floor(index / 4),
        response_tokens: 20,
        rubric: {
          recognized: true,
          status: 'CERTIFIED',
          reason: null,
          action: 1,
          certainty: 1,
          polite: false,
          relevant: true,
          unsupported_certainty: false,
          refusal: false,
          rubric_success: index % 3 === 0,
        },
      })),
    'jobs.current': job,
    'preferences.get': () => ({
      preferences: { theme: 'system', device: 'auto', threads: 0, model_folders: [] },
      warning: null,
    }),
    'runs.show': () => {
      const none: object[] = []
      return {
        run: run(),
        study_id: null,
        preset: null,
        updates: [...updates],
        ppo_updates: none,
        iterations: none,
        validations: none,
        memory: none,
      }
    },
  }
  const bridge = {
    call: async (name: string) => {
      const answer = answers[name]
      return answer === undefined ? { ok: false, message: `${name} is not here` } : { ok: true, value: answer() }
    },
    subscribe: (listener: (event: object) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const longRun: LongRun = {
    grow: (count) => {
      add(count)
      for (const listener of listeners) {
        listener({ type: 'job', job: job() })
        listener({ type: 'changed', study_id: null })
      }
    },
  }
  Object.assign(window, { recompense: bridge, longRun })
}
