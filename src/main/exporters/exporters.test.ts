/** The plan in the words of each engine: every method has its settings and its table, and no setting goes unsaid. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { minimumPreset } from '../../shared/training-config.ts'
import { groupConfig, ppoConfig, supervisedConfig } from '../workbench/study-config.ts'
import { settingsYaml } from './engine-settings.ts'
import { exportReadme } from './export-readme.ts'
import { plannedRows } from './planned-rows.ts'
import { settingNames } from './setting-names.ts'
import { engines, type Method, type PlannedStage, type TrainingPlan } from './training-plan.ts'
import { writeExport } from './write-export.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-exporters-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const base = resolve('test/golden/checkpoints/base_f32')
const methods = Object.keys(settingNames.trl.byMethod) as Method[]
const kindOf = (method: Method): PlannedStage['kind'] =>
  method === 'sft' || method === 'reward' || method === 'dpo' ? method : 'rl'

function settingsOf(method: Method): Record<string, number | string> {
  if (method === 'ppo') return numbersOf(ppoConfig(minimumPreset))
  if (method === 'sft' || method === 'reward') return { ...supervisedConfig(minimumPreset, method) }
  if (method === 'dpo') return { ...supervisedConfig(minimumPreset, 'sft'), beta: 0.1 }
  return numbersOf(groupConfig(minimumPreset))
}

/** Without what a run records of itself. */
function numbersOf(config: object): Record<string, number | string> {
  const kept = Object.entries(config).filter(([name, value]) => name !== 'audit_every' && value !== undefined)
  return Object.fromEntries(kept) as Record<string, number | string>
}

const planOf = (method: Method, rows: TrainingPlan['rows'] = []): TrainingPlan => ({
  id: 'run-1',
  kind: 'run',
  name: 'run-1',
  codeVersion: '0',
  seed: 49,
  lora: { rank: 8, alpha: 16 },
  limits: { max_prompt_tokens: 256, max_new_tokens: 64, max_context_tokens: 320 },
  base: { folder: base, files: { 'config.json': 'abc' } },
  stages: [{ kind: kindOf(method), method, settings: settingsOf(method) }],
  rows,
  adapters: [],
  missing: [],
})

describe.each(engines)('%s', (engine) => {
  test.each(methods)('%s: every setting is in the table, with its name there or a word on why not', (method) => {
    const { shared, byMethod } = settingNames[engine]
    const said = [...shared, ...byMethod[method]]
    for (const { theirs, note } of said) expect(theirs !== null || (note ?? '') !== '').toBe(true)
    const names = said.flatMap(({ ours }) => ours.split(', '))
    // Lengths are refused at export, not trained with; a stage that an engine lacks is one line.
    const lengths = ['max_prompt_tokens', 'max_new_tokens', 'max_context_tokens']
    const lacking = engine === 'verl' && (method === 'reward' || method === 'dpo')
    const weights = ['max_weight', 'ablation']
    // Read by comppo alone, which is handed to no engine.
    const transport = ['gate', 'gate_min', 'gate_max', 'gae_lambda', 'critic_learning_rate', 'value_loss_coef']
    const elsewhere = [...lengths, ...weights, ...(method === 'ppo' ? [] : transport)]
    const unsaid = Object.keys(settingsOf(method)).filter((name) => !names.includes(name) && !elsewhere.includes(name))
    expect(lacking ? [] : unsaid).toEqual([])
    expect(exportReadme(engine, planOf(method))).toContain(`(${method})`)
  })

  test.each(methods.filter((method) => kindOf(method) === 'rl'))(
    '%s: the scripts find every setting they read',
    (method) => {
      const { stages, tokens } = parse(settingsYaml(engine, planOf(method), { eos: 1, pad: 0 }, ['q_proj']))
      expect(tokens).toEqual({ eos: 1, pad: 0 })
      for (const name of [
        'trainer',
        'learning_rate',
        'group_size',
        'epochs_per_rollout',
        'prompts_per_rollout',
        'rollout_iterations',
        'clip_epsilon',
        'kl_coefficient',
        'temperature',
        'truncation_penalty',
        'max_new_tokens',
        'warmup_ratio',
        'minimum_lr_ratio',
        'weight_decay',
        'gradient_clip',
      ])
        expect(stages.rl).toHaveProperty(name)
    },
  )
})

test('GRPO keeps its own group, RLOO its own trainer, weighted methods become GRPO', () => {
  const rl = (method: Method) => parse(settingsYaml('trl', planOf(method), { eos: 1, pad: 0 }, [])).stages.rl
  expect(rl('grpo')).toMatchObject({ trainer: 'grpo', group_size: groupConfig(minimumPreset).group_size })
  expect(rl('rloo').trainer).toBe('rloo')
  for (const method of ['datc', 'red', 'p2t'] as const) expect(rl(method)).toMatchObject({ method, trainer: 'grpo' })
})

describe('rows', () => {
  const tokenizer = {
    encode: (text: string) => [...text].map((character) => character.codePointAt(0)! % 100),
    renderChat: (messages: readonly { content: string }[]) => `<${messages.map(({ content }) => content).join('|')}>`,
  }
  const limits = { promptTokens: 64, completionTokens: 64, contextTokens: 128 }
  const encoder = (name: string, ...rows: object[]) => {
    const file = join(folder, name)
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return { file, tokenizer, eosId: 7, vocabSize: 100, limits }
  }

  test('a text prompt becomes one user message; raw text and given ids stay what they are', async () => {
    const rows = await plannedRows(
      'demonstration',
      encoder(
        'demo.jsonl',
        { id: 'a', prompt: 'hi', completion: 'yo', family: 'f' },
        { id: 'b', prompt: 'hi', raw: true, completion: 'yo' },
        { id: 'c', prompt_ids: [1, 2], completion_ids: [3] },
      ),
    )
    expect(rows).toMatchObject([
      {
        id: 'a',
        prompt: [{ role: 'user', content: 'hi' }],
        family: 'f',
        prompt_ids: tokenizer.encode('<hi>'),
        completion_ids: [...tokenizer.encode('yo'), 7],
      },
      { id: 'b', prompt: 'hi', prompt_ids: tokenizer.encode('hi') },
      { id: 'c', prompt_ids: [1, 2], completion_ids: [3] },
    ])
  })

  test('a row that training would refuse is refused, and no folder appears', async () => {
    const file = encoder('long.jsonl', { id: 'x', prompt: 'p'.repeat(2000), completion: 'c' }).file
    const out = join(folder, 'never')
    await expect(writeExport('trl', planOf('sft', [{ name: 'sft_train', file }]), out)).rejects.toThrow(
      /the prompt has \d+ tokens, more than the limit of 256 \(row x, line 1\)/,
    )
    expect(() => readFileSync(out)).toThrow(/ENOENT/)
  })
})
