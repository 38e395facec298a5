/** Exports as another engine meets them: the same rows and ids, adapters where they belong, scripts that Python takes. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openTokenizer } from '../engine/checkpoint/tokenizer.ts'
import type { Engine } from '../exporters/training-plan.ts'
import { exportForEngine } from './export-for-engine.ts'
import { type FakeBench, fakeBench, quickConfig } from './fake-bench.ts'
import { runStudy } from './study-run.ts'
import { trainStage } from './train-stage.ts'
import type { Workbench } from './workbench.ts'

let fake: FakeBench
let bench: Workbench
let study: string
const base = resolve('test/golden/checkpoints/base_f32')
const folder = mkdtempSync(join(tmpdir(), 'recompense-export-'))
const python = spawnSync('python3', ['--version']).status === 0 ? 'python3' : undefined

beforeAll(async () => {
  fake = fakeBench()
  bench = fake.open()
  cpSync(base, fake.model, { recursive: true })
  study = (await runStudy(bench, { model: fake.model, config: quickConfig, device: 'cpu', threads: 1 })).study_id
})
afterAll(() => {
  bench.close()
  rmSync(fake.root, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

let made = 0
const place = () => join(folder, `export-${made++}`)
const exported = async (engine: Engine, id: string, model?: string) => {
  const out = place()
  const { files } = await exportForEngine(bench, { engine, id, out, ...(model === undefined ? {} : { model }) })
  return { out, files: files.map((file) => file.slice(out.length + 1)) }
}
const rowsOf = (out: string, name: string): Record<string, unknown>[] =>
  readFileSync(join(out, 'data', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const data = ['heldout_prompts', 'prompts', 'reward_train', 'reward_validation', 'sft_train', 'sft_validation']
const adapters = ['actor', 'critic', 'policy', 'reward'].flatMap((role) => [
  `adapters/${role}/adapter_config.json`,
  `adapters/${role}/adapter_model.safetensors`,
])

describe.each<[Engine, readonly string[]]>([
  ['trl', ['study.py']],
  ['verl', ['prepare.py', 'reward.py', 'run.py']],
])('%s', (engine, scripts) => {
  test('a study: settings, rows, adapters, scripts and what has no equivalent', async () => {
    const { out, files } = await exported(engine, study)
    const wanted = [
      'README.md',
      'requirements.txt',
      'settings.yaml',
      ...scripts,
      ...adapters,
      ...data.map((name) => `data/${name}.jsonl`),
    ]
    expect(files).toEqual(wanted.sort())
    const settings = parse(readFileSync(join(out, 'settings.yaml'), 'utf8'))
    expect(settings).toMatchObject({
      seed: quickConfig.seed,
      base: { folder: fake.model },
      tokens: { eos: 503, pad: 501 },
      lora: { rank: quickConfig.lora_rank, alpha: quickConfig.lora_alpha },
      limits: { max_new_tokens: quickConfig.max_new_tokens },
    })
    expect(settings.stages.rl).toMatchObject({
      method: 'ppo',
      trainer: engine === 'trl' ? 'rloo' : 'gae',
      learning_rate: quickConfig.ppo_actor_lr,
      critic_learning_rate: quickConfig.ppo_critic_lr,
      rollout_iterations: quickConfig.rollout_iterations,
      group_size: engine === 'trl' ? 4 : 1,
    })
    expect(Object.keys(settings.stages)).toEqual(engine === 'trl' ? ['sft', 'reward', 'rl'] : ['sft', 'rl'])
    const readme = readFileSync(join(out, 'README.md'), 'utf8')
    expect(readme).toMatch(
      engine === 'trl'
        ? /\| method ppo \| \*\*no equivalent\*\* \|/
        : /\| the reward stage \| \*\*no equivalent\*\* \|/,
    )
  })

  test('rows are those of the study, in order, with the ids it learned from', async () => {
    const { out } = await exported(engine, study)
    const corpus = join(bench.home, 'studies', study, 'corpus')
    const own = (name: string) =>
      readFileSync(join(corpus, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    for (const [there, here] of [
      ['sft_train', 'demonstrations.jsonl'],
      ['reward_train', 'pairs-train.jsonl'],
      ['reward_validation', 'pairs-validation.jsonl'],
      ['prompts', 'rollout-prompts.jsonl'],
      ['heldout_prompts', 'heldout-prompts.jsonl'],
    ] as const) {
      expect(rowsOf(out, there).map(({ id }) => id)).toEqual(own(here).map(({ id }) => id))
    }
    const tokenizer = openTokenizer(base)
    const [first] = rowsOf(out, 'sft_train') as [Record<string, never>]
    const rendered = tokenizer.renderChat(first.prompt!, { addGenerationPrompt: true })
    expect(first.prompt_ids).toEqual(tokenizer.encode(rendered))
    expect(first.completion_ids).toEqual([...tokenizer.encode(first.completion!), 503])
    const labels = rowsOf(out, 'heldout_prompts').flatMap((row) => Object.keys(row))
    expect(labels.some((name) => /chosen|completion|label|target/.test(name))).toBe(false)
  })

  test.skipIf(python === undefined)('Python compiles every script', async () => {
    const { out } = await exported(engine, study)
    const run = spawnSync(python!, ['-m', 'py_compile', ...scripts], { cwd: out, encoding: 'utf8' })
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
  })

  test('a run on own rows: its stage alone, and the adapters that are known by hash are named', async () => {
    const prompts = join(folder, 'prompts.jsonl')
    writeFileSync(prompts, '{"id":"p","prompt":"hello"}\n{"id":"q","prompt":[{"role":"user","content":"printer"}]}\n')
    const adapter = resolve('test/golden/lora/peft_adapter')
    const request = {
      model: fake.model,
      data: prompts,
      threads: 1,
      initAdapter: adapter,
      rewardAdapter: adapter,
      out: place(),
    }
    const { run_id } = await trainStage(bench, { ...request, stage: 'ppo', config: { rollout_iterations: 1 } })
    const elsewhere = `${fake.model}-moved`
    renameSync(fake.model, elsewhere)
    await expect(exported(engine, run_id)).rejects.toThrow(
      /its base model is in no folder that is known here; name it with --model DIR/,
    )
    renameSync(elsewhere, fake.model)
    const { out, files } = await exported(engine, run_id, fake.model)
    expect(files.filter((file) => file.startsWith('data/') || file.startsWith('adapters/'))).toEqual([
      'adapters/actor/adapter_config.json',
      'adapters/actor/adapter_model.safetensors',
      'adapters/critic/adapter_config.json',
      'adapters/critic/adapter_model.safetensors',
      'data/prompts.jsonl',
    ])
    const { stages } = parse(readFileSync(join(out, 'settings.yaml'), 'utf8'))
    expect(stages).toMatchObject({ rl: { method: 'ppo', rollout_iterations: 1 } })
    const readme = readFileSync(join(out, 'README.md'), 'utf8')
    for (const role of ['policy', 'reward'])
      expect(readme).toMatch(new RegExp(`adapters/${role}\` is not included: .* [0-9a-f]{64}\\. Put it there`))
  })

  test('nothing is written where it is refused', async () => {
    const out = place()
    mkdirSync(out)
    writeFileSync(join(out, 'mine'), '')
    await expect(exportForEngine(bench, { engine, id: study, out })).rejects.toThrow(/is not empty/)
    expect(readdirSync(out)).toEqual(['mine'])
    for (const [id, message] of [
      ['nothing', /is neither a study nor a run/],
      [runOf('generate'), /is a run of generate, which no other engine is handed/],
    ] as const) {
      const target = place()
      await expect(exportForEngine(bench, { engine, id, out: target })).rejects.toThrow(message)
      expect(existsSync(target)).toBe(false)
    }
    const target = place()
    await expect(
      exportForEngine(bench, { engine, id: study, out: target, model: resolve('test/golden/checkpoints/untied_bf16') }),
    ).rejects.toThrow(/is not the file the study began with/)
    expect(existsSync(target)).toBe(false)
  })
})

test('what a run of a study began from comes along', async () => {
  const { files } = await exported('verl', runOf('ppo'))
  expect(files.filter((file) => file.endsWith('adapter_config.json'))).toEqual(
    ['actor', 'critic', 'policy', 'reward'].map((role) => `adapters/${role}/adapter_config.json`),
  )
})

function runOf(stage: string): string {
  const runs = readdirSync(join(bench.home, 'studies', study, 'runs'))
  return runs.find((id) => new RegExp(`-${stage}(-|$)`).test(id))!
}
