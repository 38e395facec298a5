/** adapter_config.json: what is accepted of other people's LoRA settings, and what our own exports say. */
import { BadInput } from '../../../shared/bad-input.ts'
import { isJsonObject, type JsonObject } from './input-file.ts'
import type { Projection } from './qwen2-tensors.ts'

export interface PeftConfig {
  readonly rank: number
  readonly alpha: number
  /** `CAUSAL_LM`, `SEQ_CLS` or what else stands there; undefined where the file has none. */
  readonly taskType: string | undefined
  readonly modulesToSave: readonly string[]
}

/** Settings that change the forward pass in ways that are not computed here: they must be absent, false or empty. */
const mustBeEmpty = [
  'use_rslora',
  'use_dora',
  'use_qalora',
  'use_bdlora',
  'fan_in_fan_out',
  'lora_bias',
  'rank_pattern',
  'alpha_pattern',
  'layer_replication',
  'layers_to_transform',
  'exclude_modules',
  'target_parameters',
  'trainable_token_indices',
  'alora_invocation_tokens',
  'megatron_config',
  'kasa_config',
  'arrow_config',
  'monteclora_config',
  'velora_config',
]

/** Initialisations that leave the base weights as they are; others (PiSSA, OLoRA, CorDA, LoftQ) train on altered ones. */
const harmlessInit = new Set<unknown>([undefined, null, true, false, 'gaussian', 'orthogonal', 'eva'])

/** @throws BadInput naming the setting that is missing or not supported */
export function parsePeftConfig(json: JsonObject, path: string, projections: readonly Projection[]): PeftConfig {
  const refuse = (problem: string): never => {
    throw new BadInput(path, problem)
  }
  if (json.peft_type !== 'LORA')
    refuse(`peft_type is ${JSON.stringify(json.peft_type ?? null)}; only LORA adapters are read`)
  const { r, lora_alpha: alpha } = json
  if (!Number.isSafeInteger(r) || (r as number) < 1)
    refuse(`r must be a positive whole number, not ${JSON.stringify(r)}`)
  if (typeof alpha !== 'number' || !Number.isFinite(alpha) || alpha <= 0) {
    refuse(`lora_alpha must be a positive number, not ${JSON.stringify(alpha)}`)
  }
  const bias = json.bias ?? 'none'
  if (bias !== 'none') refuse(`bias ${JSON.stringify(bias)} is not supported; only adapters with bias "none" are read`)
  const unknownSwitches = Object.keys(json).filter((key) => key.startsWith('use_') && !mustBeEmpty.includes(key))
  for (const key of [...mustBeEmpty, ...unknownSwitches]) {
    if (!isEmpty(json[key])) refuse(`${key} ${JSON.stringify(json[key])} is not supported`)
  }
  if (!harmlessInit.has(json.init_lora_weights)) {
    refuse(`init_lora_weights ${JSON.stringify(json.init_lora_weights)} alters the base weights and is not supported`)
  }
  checkTargets(json.target_modules, path, projections)
  const { modules_to_save: saved, task_type: taskType } = json
  if (!isEmpty(saved) && !isStringList(saved)) refuse('modules_to_save must be a list of names')
  const modulesToSave = isStringList(saved) ? saved : []
  const unknown = modulesToSave.find((name) => !headModules.has(name))
  if (unknown !== undefined) {
    refuse(
      `modules_to_save names ${JSON.stringify(unknown)}; only a scalar head ("score" or "v_head") can be saved whole`,
    )
  }
  return {
    rank: r as number,
    alpha: alpha as number,
    taskType: typeof taskType === 'string' ? taskType : undefined,
    modulesToSave,
  }
}

/** PEFT adds `classifier` and `score` for SEQ_CLS by itself; a Qwen2 model has no `classifier`. */
const headModules = new Set(['score', 'v_head', 'classifier'])

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && Object.keys(value).length === 0
}

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/**
 * A list matches whole paths or their last parts, a string is a regular expression over the whole path, `all-linear` is
 * every linear layer but the output. All seven projections must be covered: a learned state has all of them.
 */
function checkTargets(targets: unknown, path: string, projections: readonly Projection[]): void {
  if (targets === 'all-linear') return
  const matches = targetMatcher(targets, path)
  const uncovered = projections.find((projection) => !matches(projection.path))
  if (uncovered !== undefined) {
    throw new BadInput(
      path,
      'target_modules leaves out a projection; adapters must cover q, k, v, o, gate, up and down of every layer',
      `module ${uncovered.path}`,
    )
  }
  if (!isStringList(targets)) return
  const stray = targets.find((target) => !projections.some((projection) => matchesName(projection.path, target)))
  if (stray !== undefined)
    throw new BadInput(path, 'target_modules names a module that has no LoRA here', `module ${stray}`)
}

function matchesName(path: string, target: string): boolean {
  return path === target || path.endsWith(`.${target}`)
}

function targetMatcher(targets: unknown, path: string): (module: string) => boolean {
  if (isStringList(targets)) return (module) => targets.some((target) => matchesName(module, target))
  if (typeof targets !== 'string')
    throw new BadInput(path, 'target_modules must be a list of names, a pattern or "all-linear"')
  try {
    const pattern = new RegExp(`^(?:${targets})$`)
    return (module) => pattern.test(module)
  } catch {
    throw new BadInput(
      path,
      `target_modules ${JSON.stringify(targets)} is not a pattern that can be read; list the modules`,
    )
  }
}

export interface PeftConfigToWrite {
  readonly rank: number
  readonly alpha: number
  readonly head: 'none' | 'score' | 'v_head'
  readonly baseModel: string | null
}

/** Only settings that every PEFT since 0.5 knows, so that old and new versions load it. */
export function peftConfigJson({ rank, alpha, head, baseModel }: PeftConfigToWrite): JsonObject {
  return {
    base_model_name_or_path: baseModel,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    lora_alpha: alpha,
    lora_dropout: 0,
    modules_to_save: head === 'none' ? null : [head],
    peft_type: 'LORA',
    r: rank,
    target_modules: ['down_proj', 'gate_proj', 'k_proj', 'o_proj', 'q_proj', 'up_proj', 'v_proj'],
    task_type: head === 'score' ? 'SEQ_CLS' : 'CAUSAL_LM',
  }
}
