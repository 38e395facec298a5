/** A study or a learning run as something another training engine can run: which facts of the store make up the plan. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { runFiles } from '../../shared/stage.ts'
import { corpusRows } from '../engine/study/corpus-layout.ts'
import type {
  AdapterRole,
  Engine,
  Method,
  PlannedAdapter,
  PlannedStage,
  RowFile,
  TrainingPlan,
} from '../exporters/training-plan.ts'
import { findRun, type RunRow, runFor } from '../store/runs.ts'
import { findStudy, type StudyRow } from '../store/studies.ts'
import { modelOfRun } from './credit/model-of-run.ts'
import { modelFiles, requireSameModel } from './model-folder.ts'
import { corpusDir, runDir } from './places.ts'
import { ppoConfig, supervisedConfig } from './study-config.ts'
import type { Workbench } from './workbench.ts'

export interface EngineExport {
  /** Absolute. */
  readonly out: string
  readonly engine: Engine
  readonly id: string
  /** Absolute paths. */
  readonly files: readonly string[]
}

/**
 * @param model folder of the base model, where the one that was used is not known on this machine
 * @throws BadInput for an id that is neither a study nor a learning run, one without a corpus yet, or a taken `out`
 */
export async function exportForEngine(
  bench: Workbench,
  request: { readonly engine: Engine; readonly id: string; readonly out: string; readonly model?: string },
): Promise<EngineExport> {
  const { writeExport } = await import('../exporters/write-export.ts')
  const { engine, id, model } = request
  const out = resolve(request.out)
  const plan = planOf(bench, id, model === undefined ? undefined : resolve(model))
  const files = await writeExport(engine, plan, out)
  return { out, engine, id, files: files.map((file) => join(out, file)) }
}

function planOf(bench: Workbench, id: string, model: string | undefined): TrainingPlan {
  const { db } = bench.store
  const study = findStudy(db, id)
  if (study !== null) return studyPlan(bench, study, model)
  const run = findRun(db, id)
  if (run !== null) return runPlan(bench, run, model)
  throw new BadInput(id, `is neither a study nor a run in ${bench.home}; "study list" and "study show" name them`)
}

function studyPlan(bench: Workbench, study: StudyRow, model: string | undefined): TrainingPlan {
  const { config, studyId } = study
  const corpus = corpusDir(bench.home, studyId)
  if (!existsSync(join(corpus, corpusRows.demonstrations)))
    throw new BadInput(studyId, 'has no corpus yet; run the study first')
  const folder = model ?? study.modelDir
  requireSameModel(folder, study.modelFiles)
  const finished = (stage: 'sft' | 'reward' | 'ppo') => {
    const run = runFor(bench.store.db, studyId, stage, 'main')
    return run?.status === 'finished' ? run : null
  }
  const [sft, reward, ppo] = [finished('sft'), finished('reward'), finished('ppo')]
  // The rows of SFT's validation are made by the study, not by the corpus.
  const validation = sft === null ? null : join(runDir(bench.home, studyId, sft.runId), 'inputs', 'validation.jsonl')
  const rows: [RowFile, string | null][] = [
    ['sft_train', join(corpus, corpusRows.demonstrations)],
    ['sft_validation', validation],
    ['reward_train', join(corpus, corpusRows.pairsTrain)],
    ['reward_validation', join(corpus, corpusRows.pairsValidation)],
    ['prompts', join(corpus, corpusRows.rolloutPrompts)],
    ['heldout_prompts', join(corpus, corpusRows.heldoutPrompts)],
  ]
  return {
    id: studyId,
    kind: 'study',
    name: study.name,
    codeVersion: study.codeVersion,
    seed: config.seed,
    lora: { rank: config.lora_rank, alpha: config.lora_alpha },
    limits: limitsOf({ ...config }),
    base: { folder, files: study.modelFiles },
    stages: [
      { kind: 'sft', method: 'sft', settings: ownSettings({ ...supervisedConfig(config, 'sft') }) },
      { kind: 'reward', method: 'reward', settings: ownSettings({ ...supervisedConfig(config, 'reward') }) },
      { kind: 'rl', method: 'ppo', settings: ownSettings({ ...ppoConfig(config) }) },
    ],
    rows: existing(rows),
    adapters: [
      ...adapterOf(bench, sft, 'policy', runFiles.adapter),
      ...adapterOf(bench, reward, 'reward', runFiles.adapter),
      ...adapterOf(bench, ppo, 'actor', runFiles.adapter),
      ...adapterOf(bench, ppo, 'critic', runFiles.critic),
    ],
    missing: [],
  }
}

/** Stages that other engines have; those of the desk they have not. */
const methods: Readonly<Record<string, PlannedStage['kind']>> = {
  sft: 'sft',
  reward: 'reward',
  dpo: 'dpo',
  ppo: 'rl',
  grpo: 'rl',
  rloo: 'rl',
  datc: 'rl',
  red: 'rl',
  p2t: 'rl',
}

function runPlan(bench: Workbench, run: RunRow, model: string | undefined): TrainingPlan {
  const { config, runId, stage } = run
  const kind = Object.hasOwn(methods, stage) ? methods[stage] : undefined
  if (kind === undefined) throw new BadInput(runId, `is a run of ${stage}, which no other engine is handed`)
  if (config.environment !== undefined && config.environment !== null)
    throw new BadInput(runId, 'learns in the multi-turn desk, which no other engine has')
  const folder = model ?? modelOfRun(bench, run)
  if (folder === null)
    throw new BadInput(runId, 'its base model is in no folder that is known here; name it with --model DIR')
  if (model !== undefined) requireSameModel(model, recordedModel(bench, run))
  const inputs = join(runDir(bench.home, run.studyId, runId), 'inputs')
  const rows: [RowFile, string][] =
    kind === 'rl'
      ? [['prompts', join(inputs, 'train.jsonl')]]
      : [
          [`${kind}_train`, join(inputs, 'train.jsonl')],
          [`${kind}_validation`, join(inputs, 'validation.jsonl')],
        ]
  const finished = run.status === 'finished' ? run : null
  return {
    id: runId,
    kind: 'run',
    name: runId,
    codeVersion: run.codeVersion,
    seed: numberOf(config, 'seed'),
    lora: { rank: numberOf(config, 'lora_rank'), alpha: numberOf(config, 'lora_alpha') },
    limits: limitsOf(config),
    base: { folder, files: modelFiles(folder) },
    stages: [{ kind, method: stage as Method, settings: ownSettings(config) }],
    rows: existing(rows),
    adapters: [
      ...parentAdapters(bench, run),
      ...adapterOf(
        bench,
        finished,
        kind === 'rl' ? 'actor' : kind === 'reward' ? 'reward' : 'policy',
        runFiles.adapter,
      ),
      ...(stage === 'ppo' ? adapterOf(bench, finished, 'critic', runFiles.critic) : []),
    ],
    missing: missingOf(kind, config),
  }
}

/** A study's run names the runs that it began from. */
function parentAdapters(bench: Workbench, run: RunRow): PlannedAdapter[] {
  return run.parents.flatMap(({ role, run_id }) => {
    if (role !== 'policy' && role !== 'reward') return []
    return adapterOf(bench, findRun(bench.store.db, run_id), role, runFiles.adapter)
  })
}

/** A run on the user's own rows knows by hash alone what it was given. */
function missingOf(kind: PlannedStage['kind'], config: RunRow['config']): TrainingPlan['missing'] {
  const { init_adapter_sha256: init, reward_adapter_sha256: reward } = config
  return [
    ...(typeof init === 'string'
      ? [{ role: kind === 'rl' ? ('policy' as const) : ('initial' as const), sha256: init }]
      : []),
    ...(typeof reward === 'string' ? [{ role: 'reward' as const, sha256: reward }] : []),
  ]
}

function adapterOf(bench: Workbench, run: RunRow | null, role: AdapterRole, name: string): PlannedAdapter[] {
  if (run === null) return []
  const folder = join(runDir(bench.home, run.studyId, run.runId), name)
  return existsSync(folder) ? [{ role, folder }] : []
}

function existing(rows: readonly (readonly [RowFile, string | null])[]): TrainingPlan['rows'] {
  return rows.flatMap(([name, file]) => (file !== null && existsSync(file) ? [{ name, file }] : []))
}

function recordedModel(bench: Workbench, run: RunRow): Readonly<Record<string, string>> {
  const study = run.studyId === null ? null : findStudy(bench.store.db, run.studyId)
  return study?.modelFiles ?? (run.config.model_files as Readonly<Record<string, string>>)
}

/** Numbers and names; what the run recorded of its files is not a setting. */
function ownSettings(config: Readonly<Record<string, unknown>>): Record<string, number | string> {
  // What stands elsewhere in the plan, and what our own run records of itself.
  const shared = ['seed', 'lora_rank', 'lora_alpha', 'max_prompt_tokens', 'max_context_tokens', 'audit_every']
  return Object.fromEntries(
    Object.entries(config).filter(
      ([name, value]) =>
        (typeof value === 'number' || typeof value === 'string') && !shared.includes(name) && !name.endsWith('_sha256'),
    ),
  ) as Record<string, number | string>
}

function limitsOf(config: Readonly<Record<string, unknown>>): TrainingPlan['limits'] {
  return {
    max_prompt_tokens: numberOf(config, 'max_prompt_tokens'),
    max_new_tokens: numberOf(config, 'max_new_tokens'),
    max_context_tokens: numberOf(config, 'max_context_tokens'),
  }
}

function numberOf(config: Readonly<Record<string, unknown>>, name: string): number {
  const value = config[name]
  if (typeof value !== 'number') throw new Error(`the run records no ${name}`)
  return value
}
