/** How the three policies are called in every table and figure. */
import type { BranchName, PopulationName } from '../../../shared/study-results.ts'

export const branchTitle: Readonly<Record<BranchName, string>> = { base: 'Base', sft: 'SFT', ppo: 'PPO' }

export const populationTitle: Readonly<Record<PopulationName, string>> = {
  test: 'Test',
  probe_rows: 'Probe rows',
  probe_unique_contexts: 'Probe contexts',
  all_rows: 'All rows',
  all_unique_contexts: 'All distinct contexts',
}
