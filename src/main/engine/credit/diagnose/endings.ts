/** Terminal, truncated, invalid and failed environments kept apart: each means something else for what comes after. */
import { type Check, first } from './check.ts'

export const endings: Check = ({ trajectories }) => {
  const failures = trajectories.filter(({ end }) => end === 'environment_failure')
  const others = trajectories.filter(({ end }) => end !== 'environment_failure')
  const graded = failures.filter(({ reward }) => reward !== null).map(({ id }) => id)
  const open = others.filter(({ terminated }) => !terminated)
  const neither = open.filter(({ truncated }) => !truncated).map(({ id }) => id)
  const withoutValue = open.filter(({ bootstrap_value }) => bootstrap_value === undefined).map(({ id }) => id)
  const data = {
    terminated: others.length - open.length,
    truncated: open.length - neither.length,
    neither: neither.length,
    truncated_without_bootstrap_value: withoutValue.length,
    environment_failures: failures.length,
    environment_failures_with_reward: graded.length,
    abstained: others.filter(({ reward }) => reward === null).length,
    invalid_turns: trajectories.reduce(
      (sum, row) => sum + row.turns.filter((turn) => turn.event === 'invalid').length,
      0,
    ),
  }
  const counts = `${data.terminated} terminated, ${data.truncated} truncated, ${data.abstained} not graded, ${data.environment_failures} environment failures, ${data.invalid_turns} invalid turns`
  const id = 'endings'
  if (graded.length > 0) {
    const detail = `${counts}; a failure of the environment is graded as if it were the policy's in ${first(graded)}: their rewards are left out, write null`
    return { id, status: 'failed', figure: graded.length, detail, data }
  }
  if (neither.length > 0) {
    const detail = `${counts}; ${first(neither)} ended neither way: say terminated or truncated`
    return { id, status: 'warning', figure: neither.length, detail, data }
  }
  if (withoutValue.length > 0) {
    const detail = `${counts}; cut without bootstrap_value: ${first(withoutValue)}; estimators with a critic refuse them rather than take the cut for an end`
    return { id, status: 'warning', figure: withoutValue.length, detail, data }
  }
  const unsaid = open.length === 0 ? '; none is marked as cut by a limit' : ''
  return { id, status: 'ok', figure: 0, detail: `${counts}${unsaid}`, data }
}
