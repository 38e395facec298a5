/** Settings files: defaults of the reference study, and every way a file can be wrong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ppoSettings, studySettings, supervisedSettings } from './stage-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(content: string): string {
  const path = join(folder, 'c.yaml')
  writeFileSync(path, content)
  return path
}

describe('settings', () => {
  it("start from the reference study's", () => {
    expect(supervisedSettings('sft', {})).toMatchObject({
      learning_rate: 2e-5,
      epochs: 3,
      accumulation_examples: 8,
      seed: 49,
    })
    expect(supervisedSettings('reward', {})).toMatchObject({ learning_rate: 2e-5, epochs: 2, lora_rank: 8 })
  })

  it('take the file over the defaults and --seed over the file', () => {
    const path = file('# mine\nlearning_rate: 1e-3\nepochs: 1\nseed: 7\n')
    expect(supervisedSettings('sft', { file: path })).toMatchObject({ learning_rate: 1e-3, epochs: 1, seed: 7 })
    expect(supervisedSettings('sft', { file: path, seed: 8 }).seed).toBe(8)
    expect(supervisedSettings('sft', { file: file('') }).epochs).toBe(3)
  })

  it('let one file serve ppo and the supervised stages, and say what ppo leaves unused', () => {
    const notes: string[] = []
    const path = file('learning_rate: 1e-3\nepochs: 1\nppo_actor_lr: 0.5\n')
    const config = ppoSettings({ file: path, note: (line) => notes.push(line) })
    expect(config).toMatchObject({ ppo_actor_lr: 0.5, ppo_critic_lr: 1e-5, gamma: 1, truncation_penalty: -1 })
    expect(config).not.toHaveProperty('epochs')
    expect(notes).toEqual([`${path}: learning_rate, epochs not used by ppo`])
  })

  it.each([
    [
      'an unknown key',
      'epochs: 1\nlearning_rte: 1\n',
      'learning_rte: unknown key, did you mean learning_rate? (line 2)',
    ],
    ['another type', 'epochs: many\n', /epochs: expected number, received string \(line 1\)/],
    ['a value out of range', '\nepochs: 0\n', /epochs: .*>0.* \(line 2\)/],
    ['a fraction for a count', 'epochs: 1.5\n', /epochs: expected int.* \(line 1\)/],
    ['infinity', 'learning_rate: .inf\n', /learning_rate: .* \(line 1\)/],
    ['a repeated key', 'epochs: 1\nepochs: 2\n', /is not YAML: .*unique.* \(line 2\)/],
    ['nesting', 'epochs:\n  a: 1\n', /epochs: expected number.* \(line 1\)/],
    ['a list', '- 1\n', /must be a flat list of "key: value" lines \(line 1\)/],
    ['text that is not YAML', 'epochs: [1\n', /is not YAML: .* \(line \d\)/],
  ])('refuse %s, with its line', (_name, content, problem) => {
    const path = file(content)
    const work = () => supervisedSettings('sft', { file: path })
    expect(work).toThrow(typeof problem === 'string' ? `${path}: ${problem}` : problem)
  })

  it('of a whole study are held to the study schema', () => {
    expect(studySettings(file('rollout_iterations: 3\n'))).toMatchObject({ rollout_iterations: 3, sft_epochs: 3 })
    expect(() => studySettings(file('sft_epoch: 3\n'))).toThrow('did you mean sft_epochs?')
  })
})
