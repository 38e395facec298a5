/** Mean and deviation of the advantages by token, turn, response and episode: the same credit looks different from each. */
import { type Check, short } from './check.ts'

export const advantageScales: Check = ({ estimate }) => {
  const { token, turn, response, episode } = estimate.summary
  const id = 'advantage-scales'
  const data = { token, turn, response, episode }
  if (token.mean === null || token.std === null || episode.mean === null) {
    return { id, status: 'skipped', figure: null, detail: 'no graded rollout has an action', data }
  }
  const say = ({ mean, std, n }: typeof token) => `${short(mean ?? 0)} ± ${short(std ?? 0)} (${n})`
  const words = `mean ± deviation by token ${say(token)}, turn ${say(turn)}, response ${say(response)}, episode ${say(episode)}`
  const result = (status: 'ok' | 'warning', more: string) =>
    ({ id, status, figure: token.std, detail: `${words}${more}`, data }) as const
  if (token.std === 0) return result('warning', '; every token gets the same, so nothing tells actions apart')
  const apart = token.mean * episode.mean < 0 && Math.abs(token.mean - episode.mean) > 0.1 * token.std
  if (apart)
    return result('warning', '; token and episode means differ in sign: rollouts of another length carry the sum')
  return result('ok', '')
}
