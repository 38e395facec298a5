/** How the three policies are called in every table and figure. */
import type { BranchName, PopulationName } from '../../../shared/study-results.ts'

export const branchTitle: Readonly<Record<BranchName, string>> = { base: 'Base', sft: 'SFT', ppo: 'PPO' }

export const populationTitle: Readonly<Record<PopulationName, string>> = {
  test: 'Test prompts',
  probe_rows: 'Probe prompts, every row',
  probe_unique_contexts: 'Probe prompts, each once',
  all_rows: 'Test and probe, every row',
  all_unique_contexts: 'Test and probe, each once',
}
