/** The reader of each trainer's rollouts by the trainer's name. */
import type { ImportFormat } from '../../shared/credit.ts'
import { openrlhfSource } from './openrlhf.ts'
import { trajectorySource } from './own-trajectories.ts'
import { rewardLensSource } from './reward-lens.ts'
import type { RolloutSource } from './rollout-row.ts'
import type { SkyrlOptions } from './skyrl/recovery.ts'
import { skyrlSource } from './skyrl/skyrl.ts'
import { trlSource } from './trl.ts'
import { verlSource } from './verl.ts'

/** Throws `BadInput` for a path that holds no such dump; rows are read later. */
export function rolloutSource(format: ImportFormat, path: string, options: SkyrlOptions): RolloutSource {
  switch (format) {
    case 'skyrl':
      return skyrlSource(path, options)
    case 'verl':
      return verlSource(path)
    case 'trl':
      return trlSource(path)
    case 'openrlhf':
      return openrlhfSource(path)
    case 'reward-lens':
      return rewardLensSource(path)
    case 'trajectories':
      return trajectorySource(path)
  }
}
