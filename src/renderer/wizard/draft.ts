/** What a wizard has been told so far, as plain data. */
import type { DeskRules } from '../../shared/desk-rules.ts'
import type { outcomeStages } from '../../shared/group-run.ts'
import type { DeviceName } from '../../shared/stage.ts'
import type { WizardName } from '../routes/index.ts'
import type { PresetName, Settings, SettingsOf } from './fields/setting-keys.ts'

/** A study from the start, a study that stands still, or one stage on rows of one's own. */
export type Target = 'study' | 'resume' | 'rows'

export type OutcomeStage = (typeof outcomeStages)[number]

export interface Draft {
  readonly target: Target
  readonly name: string
  readonly preset: PresetName
  /** Folder of the base; empty: the embedded model. */
  readonly model: string
  /** The study to go on with. */
  readonly study: string
  readonly data: string
  readonly validation: string
  readonly initAdapter: string
  readonly rewardAdapter: string
  /** Of the group trainers: how rewards become credit of tokens. */
  readonly method: OutcomeStage
  /** Of PPO and the group trainers: single responses to prompts, or episodes of the desk. */
  readonly environment: '' | 'desk'
  /** Of the desk, where they are not its usual ones. */
  readonly rules: Readonly<Partial<DeskRules>>
  readonly out: string
  /** Differences from the defaults. */
  readonly changes: Settings
  readonly verifyResume: boolean
  readonly device: DeviceName | ''
  /** 0: as the window's settings say. */
  readonly threads: number
}

export const emptyDraft: Draft = {
  target: 'study',
  name: '',
  preset: 'embedded',
  model: '',
  study: '',
  data: '',
  validation: '',
  initAdapter: '',
  rewardAdapter: '',
  method: 'grpo',
  environment: '',
  rules: {},
  out: '',
  changes: {},
  verifyResume: false,
  device: '',
  threads: 0,
}

export type StageWizard = Exclude<WizardName, 'report'>

export const rowStages = ['sft', 'reward', 'ppo', 'group', 'dpo'] as const
export type RowStage = (typeof rowStages)[number]
export const isRowStage = (wizard: WizardName): wizard is RowStage => (rowStages as readonly string[]).includes(wizard)

/** Whether the rollouts are episodes of the desk, which the desk can judge. */
export const atDesk = (wizard: StageWizard, draft: Draft): boolean =>
  (wizard === 'group' || wizard === 'ppo') && draft.target === 'rows' && draft.environment === 'desk'

/** Which settings the draft is about; null where the study's own are already fixed. */
export function settingsOf(wizard: StageWizard, draft: Draft): SettingsOf | null {
  if (draft.target === 'resume') return null
  return draft.target === 'rows' && isRowStage(wizard) ? wizard : 'study'
}

export function targetsOf(wizard: StageWizard): readonly Target[] {
  if (wizard === 'group' || wizard === 'dpo') return ['rows']
  if (isRowStage(wizard)) return ['study', 'resume', 'rows']
  return wizard === 'data' ? ['study'] : ['study', 'resume']
}
