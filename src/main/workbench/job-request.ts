/** What a wizard asks for, made into what the workbench runs; the same checks for an estimate and for a start. */
import { basename, resolve } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { type DeskRules, defaultDeskRules } from '../../shared/desk-rules.ts'
import { type DeskEnvironment, isGroupStage } from '../../shared/group-run.ts'
import type { JobRequest, LearningRequest, trainableStages } from '../../shared/ipc.ts'
import type { DeviceName, LearningJob } from '../../shared/stage.ts'
import {
  dpoConfigSchema,
  groupConfigSchema,
  type PpoConfig,
  ppoConfigSchema,
  type StudyConfig,
  studyConfigSchema,
  trainingConfigSchema,
} from '../../shared/training-config.ts'
import { methodNamed } from '../engine/credit/estimators/registry.ts'
import type { CreditJob } from './credit/credit-job.ts'
import type { DatcStudyRequest } from './credit/datc-study-job.ts'
import type { DeskRequest } from './credit/desk-job.ts'
import { knownSettings } from './credit/window-settings.ts'
import { embeddedModel } from './embedded-model.ts'
import { readPreferences } from './preferences.ts'
import { defaultThreads } from './processor-cores.ts'
import { settingsInFields } from './settings-text.ts'
import { groupConfig, presets } from './study-config.ts'
import type { ResumeRequest, StudyRequest } from './study-run.ts'
import { dpoSettings, groupSettings, ppoSettings, trainingSettings, turnPpoSettings } from './train-config.ts'
import type { TrainRequest } from './train-stage.ts'
import { requireStudy, type Workbench } from './workbench.ts'

interface Compute {
  readonly device: DeviceName
  readonly threads: number
}

export type PreparedJob =
  | {
      readonly kind: 'study'
      readonly title: string
      readonly config: StudyConfig
      readonly request: StudyRequest & Compute
    }
  | {
      readonly kind: 'resume'
      readonly title: string
      readonly studyId: string
      readonly config: StudyConfig
      readonly request: ResumeRequest
    }
  | {
      readonly kind: 'train'
      readonly title: string
      /** By the names that it was asked with; the run of PPO over several turns has a group trainer's. */
      readonly config: LearningJob['config']
      readonly asRun: LearningJob['config']
      readonly request: TrainRequest & Compute
    }

interface PreparedDesk {
  readonly kind: 'desk'
  readonly title: string
  readonly request: DeskRequest
}

interface CreditOf<Kind> {
  readonly kind: Kind
  readonly title: string
  readonly request: CreditJob
}

interface PreparedDatcStudy {
  readonly kind: 'credit-datc-study'
  readonly title: string
  readonly request: DatcStudyRequest
}

/** A question of credit that needs a model. */
export type PreparedCredit = CreditOf<'credit-audit'> | CreditOf<'credit-datc'> | PreparedDatcStudy | PreparedDesk

const source = 'settings'

/** Throws `BadInput` naming the setting, study or folder that is wrong. */
export function prepareJob(bench: Workbench, request: JobRequest): PreparedJob | PreparedCredit {
  switch (request.kind) {
    case 'credit-audit':
    case 'credit-datc':
      return prepareCredit(bench, request)
    case 'credit-datc-study':
      return prepareDatcStudy(bench, request)
    case 'desk':
      return prepareDesk(bench, request)
    default:
      return prepareLearning(bench, request)
  }
}

/** Throws as `prepareJob`. */
export function prepareLearning(bench: Workbench, request: LearningRequest): PreparedJob {
  switch (request.kind) {
    case 'study':
      return study(bench, request)
    case 'resume': {
      const row = requireStudy(bench, request.study_id)
      const model = request.model === undefined ? {} : { model: resolve(request.model) }
      return { kind: 'resume', title: row.name, studyId: row.studyId, config: row.config, request: model }
    }
    case 'train':
      return train(bench, request)
  }
}

function study(bench: Workbench, request: Extract<JobRequest, { kind: 'study' }>): PreparedJob {
  const { preset, settings = {}, name, verify_resume } = request
  const base = presets[preset]
  if (base === undefined) throw new BadInput('preset', `"${preset}" is neither embedded nor minimum`)
  const { config } = settingsInFields(settings, source, studyConfigSchema, base)
  const changed = Object.entries(config).some(([key, value]) => base[key as keyof StudyConfig] !== value)
  return {
    kind: 'study',
    title: name ?? config.name,
    config,
    request: {
      ...(changed ? { config, configSource: source } : { preset }),
      ...compute(bench, request),
      model: resolve(request.model ?? modelFor(preset)),
      ...(name === undefined ? {} : { name }),
      ...(verify_resume === undefined ? {} : { verifyResume: verify_resume }),
    },
  }
}

function prepareCredit(
  bench: Workbench,
  request: Extract<JobRequest, { kind: 'credit-audit' | 'credit-datc' }>,
): PreparedCredit {
  const { source: rollouts, ids, model, adapter } = request
  const common = { source: rollouts, ids, model, adapter, ...compute(bench, request) }
  if (request.kind === 'credit-audit') {
    const { partition, dtype, reduction, advantages, step } = request
    if (advantages !== 'recorded') {
      methodNamed(advantages.method, 'method')
      knownSettings(advantages.settings)
    }
    const settings = { partition, dtype, reduction, advantages, ...(step === undefined ? {} : { step }) }
    return {
      kind: request.kind,
      title: `Credit audit by ${partition}`,
      request: { ...common, stage: request.kind, settings },
    }
  }
  const { max_weight, ablation, seed, reward_adapter: rewardAdapter } = request
  return {
    kind: request.kind,
    title: 'DATC weights',
    request: { ...common, stage: request.kind, rewardAdapter, settings: { max_weight, ablation, seed } },
  }
}

function prepareDatcStudy(
  bench: Workbench,
  request: Extract<JobRequest, { kind: 'credit-datc-study' }>,
): PreparedDatcStudy {
  const {
    preset,
    settings = {},
    model,
    data,
    batches,
    init_adapter: initAdapter,
    reward_adapter: rewardAdapter,
  } = request
  const { config } = settingsInFields(settings, source, groupConfigSchema, groupConfig(presets[preset]!))
  return {
    kind: request.kind,
    title: 'DATC’s gains against single steps',
    request: { model, data, initAdapter, rewardAdapter, preset, config, batches, ...compute(bench, request) },
  }
}

function prepareDesk(bench: Workbench, request: Extract<JobRequest, { kind: 'desk' }>): PreparedDesk {
  const { from, model, adapter, reward_adapter: rewardAdapter, rules, greedy, seed, play } = request
  return {
    kind: 'desk',
    title: play.mode === 'branch' ? 'Branches at the desk' : 'Episodes at the desk',
    request: {
      from,
      model,
      adapter,
      rewardAdapter,
      settings: { rules, greedy, seed, ...play },
      ...compute(bench, request),
    },
  }
}

function modelFor(preset: string): string {
  if (preset === 'embedded') return embeddedModel()
  throw new BadInput('model', 'the minimum preset is meant for a Qwen2.5-0.5B-Instruct folder; name it')
}

function train(bench: Workbench, request: Extract<JobRequest, { kind: 'train' }>): PreparedJob {
  const { stage, settings = {}, validation, init_adapter, reward_adapter } = request
  const config = completeSettings(stage, settings, init_adapter)
  const environment = environmentOf(request)
  // Its rollouts are a group trainer's, of one episode a group.
  const learned =
    stage === 'ppo' && environment !== undefined
      ? { stage: 'turn-ppo' as const, ...turnPpoSettings(config as PpoConfig) }
      : { stage, config }
  return {
    kind: 'train',
    title: `${stageWords[stage]} on ${basename(request.data)}`,
    config,
    asRun: learned.config,
    request: {
      ...learned,
      configSource: source,
      ...compute(bench, request),
      model: resolve(request.model),
      data: resolve(request.data),
      out: resolve(request.out),
      ...(validation === undefined ? {} : { validation: resolve(validation) }),
      ...(init_adapter === undefined ? {} : { initAdapter: resolve(init_adapter) }),
      ...(reward_adapter === undefined ? {} : { rewardAdapter: resolve(reward_adapter) }),
      ...(environment === undefined ? {} : { environment }),
    },
  }
}

function environmentOf({
  environment: name,
  rules: changes = {},
  reward_adapter: reward,
}: Extract<JobRequest, { kind: 'train' }>): DeskEnvironment | undefined {
  if (name === undefined) {
    if (Object.keys(changes).length === 0) return undefined
    throw new BadInput('rules', 'are those of the desk; choose its episodes as rollouts')
  }
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const rules: DeskRules = { ...defaultDeskRules, ...given }
  if (rules.reward_model_weight !== 0 && reward === undefined)
    throw new BadInput('reward_adapter', 'is needed: the rules give the score of a reward model a weight')
  return { name, rules }
}

const stageWords: Readonly<Record<(typeof trainableStages)[number], string>> = {
  sft: 'SFT',
  reward: 'Reward model',
  ppo: 'PPO',
  dpo: 'DPO',
  grpo: 'GRPO',
  rloo: 'RLOO',
  datc: 'DATC',
  red: 'RED',
  p2t: 'P2T',
  comppo: 'CompPO',
}

function completeSettings(
  stage: (typeof trainableStages)[number],
  settings: Readonly<Record<string, unknown>>,
  initAdapter: string | undefined,
): LearningJob['config'] {
  const adapter = initAdapter === undefined ? {} : { initAdapter }
  if (stage === 'ppo') {
    const { given } = settingsInFields(settings, source, ppoConfigSchema, ppoSettings({}))
    return ppoSettings({ config: given, configSource: source, ...adapter })
  }
  if (isGroupStage(stage)) {
    const { given } = settingsInFields(settings, source, groupConfigSchema, groupSettings({}))
    return groupSettings({ config: given, configSource: source, ...adapter })
  }
  if (stage === 'dpo') {
    const { given } = settingsInFields(settings, source, dpoConfigSchema, dpoSettings({}))
    return dpoSettings({ config: given, configSource: source, ...adapter })
  }
  const { given } = settingsInFields(settings, source, trainingConfigSchema, trainingSettings(stage, {}))
  return trainingSettings(stage, { config: given, configSource: source, ...adapter })
}

/** What the request names, else what the user prefers. */
function compute(bench: Workbench, given: { device?: DeviceName | undefined; threads?: number | undefined }): Compute {
  const { preferences } = readPreferences(bench.home)
  return {
    device: given.device ?? preferences.device,
    threads: given.threads ?? (preferences.threads === 0 ? defaultThreads() : preferences.threads),
  }
}
