/** Writes an export: settings, rows with ids, adapters, the engine's scripts and a README, as one folder or not at all. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { writeFolderAtomically } from '../engine/checkpoint/atomic-write.ts'
import { copyFolder } from '../engine/checkpoint/copy-folder.ts'
import { writingFile } from '../engine/checkpoint/disk-fault.ts'
import { openBase } from '../engine/checkpoint/hf-folder.ts'
import { projections } from '../engine/checkpoint/qwen2-tensors.ts'
import { checkTokenizerFits, openTokenizer } from '../engine/checkpoint/tokenizer.ts'
import { programResource } from '../program-resource.ts'
import { settingsYaml } from './engine-settings.ts'
import { exportReadme } from './export-readme.ts'
import { plannedRows } from './planned-rows.ts'
import { type Engine, rowKinds, type TrainingPlan } from './training-plan.ts'

/** Paths of the files relative to `out`, with forward slashes, sorted. Throws `BadInput` where `out` is not free. */
export async function writeExport(engine: Engine, plan: TrainingPlan, out: string): Promise<string[]> {
  const base = openBase(plan.base.folder)
  const tokenizer = openTokenizer(plan.base.folder)
  checkTokenizerFits(base, tokenizer)
  const eosId = tokenizer.eosId
  if (eosId === undefined) throw new BadInput(join(plan.base.folder, 'tokenizer_config.json'), 'names no eos_token')
  const { max_prompt_tokens, max_new_tokens, max_context_tokens } = plan.limits
  const limits = {
    promptTokens: max_prompt_tokens,
    completionTokens: max_new_tokens,
    contextTokens: max_context_tokens,
  }
  const files = new Map<string, string>()
  for (const { name, file } of plan.rows) {
    const encoder = { file, tokenizer, eosId, vocabSize: base.config.vocabSize, limits }
    const rows = await plannedRows(rowKinds[name], encoder)
    files.set(`data/${name}.jsonl`, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  }
  const targets = [...new Set(projections(base.config).map(({ path }) => path.slice(path.lastIndexOf('.') + 1)))].sort()
  files.set('settings.yaml', settingsYaml(engine, plan, { eos: eosId, pad: tokenizer.padId ?? eosId }, targets))
  files.set('README.md', exportReadme(engine, plan))
  // Python leaves its cache beside scripts that were run in place.
  for (const name of readdirSync(scripts(engine))
    .filter((name) => /\.(py|txt)$/.test(name))
    .sort()) {
    files.set(name, readFileSync(join(scripts(engine), name), 'utf8'))
  }
  for (const { folder } of plan.adapters) {
    if (!existsSync(join(folder, 'adapter_config.json'))) throw new BadInput(folder, 'is no adapter folder any more')
  }
  writeFolderAtomically(out, (folder) => {
    for (const [name, content] of files) {
      writingFile(join(out, name), () => {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), content)
      })
    }
    for (const { role, folder: from } of plan.adapters) {
      copyFolder(from, join(folder, 'adapters', role), join(out, 'adapters', role))
    }
  })
  return filesIn(out, '').sort()
}

const scripts = (engine: Engine) => programResource('exports', engine)

function filesIn(folder: string, below: string): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    return entry.isDirectory() ? filesIn(folder, path) : [path]
  })
}
