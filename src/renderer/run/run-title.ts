/** What a run is called: by what it learned, or by what it was for. */
import type { RunRecord } from '../../shared/study-document.ts'

const stages: Readonly<Record<string, string>> = {
  sft: 'Supervised fine-tuning',
  reward: 'Reward model',
  ppo: 'PPO',
  generate: 'Generation',
  judge: 'Scoring',
}
const purposes: Readonly<Record<string, string>> = {
  base: 'base model, held-out requests',
  sft: 'SFT policy, held-out requests',
  ppo: 'PPO policy, held-out requests',
  'reward-test': 'held-out pairs',
  probes: 'politeness probes',
  'resume-check': 'resume check',
}

export function runTitle({ stage, purpose }: Pick<RunRecord, 'stage' | 'purpose'>): string {
  const name = stages[stage] ?? stage
  return purpose === 'main' ? name : `${name} · ${purposes[purpose] ?? purpose}`
}
