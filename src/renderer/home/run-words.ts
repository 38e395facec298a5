/** A run by its stage and purpose, and a model by its folder's name. */
import type { RunListing } from '../../shared/ipc.ts'
import { stageWords } from '../shell/job-words.ts'

const purposes: Readonly<Record<string, string>> = {
  base: 'Evaluation, base model',
  sft: 'Evaluation, after SFT',
  ppo: 'Evaluation, after PPO',
  'reward-test': 'Held-out pairs',
  probes: 'Probes',
  'resume-check': 'resume check',
}

/** Stages that no study has: other trainers, and questions about rollouts, which learn nothing. */
const furtherStages: Readonly<Record<string, string>> = {
  grpo: 'GRPO',
  datc: 'DATC',
  rloo: 'RLOO',
  red: 'RED',
  p2t: 'P2T',
  comppo: 'CompPO',
  dpo: 'DPO',
  'turn-ppo': 'PPO over turns',
  'credit-audit': 'Credit audit',
  'credit-datc': 'DATC weights',
  'credit-datc-study': 'DATC single steps',
  desk: 'Episodes at the desk',
}

export function stageName({ stage, purpose }: Pick<RunListing, 'stage' | 'purpose'>): string {
  const name =
    furtherStages[stage] ?? (Object.hasOwn(stageWords, stage) ? stageWords[stage as keyof typeof stageWords] : stage)
  if (purpose === 'main') return name
  const why = purposes[purpose] ?? purpose
  return purpose === 'resume-check' ? `${name}, ${why}` : why
}

/** The last part of a folder's path. */
export const modelName = (folder: string): string => folder.split(/[\\/]/).filter(Boolean).at(-1) ?? folder
