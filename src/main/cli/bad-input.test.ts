/** Bad input as a shell sees it: exit status 2, nothing on stdout, one line on stderr that names the place. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const model = resolve('test/golden/checkpoints/base_f32')
const adapter = resolve('test/golden/lora/peft_adapter')
const home = join(folder, 'home')
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const row = (fields: object) => JSON.stringify({ id: 'r1', prompt: 'p', completion: 'c', ...fields })

const good = file('good.jsonl', row({}))
const pairs = file('pairs.jsonl', JSON.stringify({ id: 'p1', prompt: 'p', chosen: 'same', rejected: 'same' }))
const notFolder = file('file', '')
const filled = join(folder, 'filled')
mkdirSync(filled)
file('filled/kept', '')
const llama = join(folder, 'llama')
cpSync(model, llama, { recursive: true })
writeFileSync(join(llama, 'config.json'), '{"model_type":"llama","architectures":["LlamaForCausalLM"]}')
const noHead = adapter

const score = (input: string) => ['score', '--model', model, '--input', input]
const sft = (...more: string[]) => [
  'train',
  'sft',
  '--model',
  model,
  '--data',
  good,
  '--out',
  join(folder, 'out'),
  ...more,
]

const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['an unknown command', ['tokenise'], /^error: tokenise: unknown command \(did you mean tokenize\?\)$/],
  ['a command without its member', ['study'], /^error: study: needs one of run, list/],
  ['an unknown member', ['study', 'start'], /^error: study start: unknown command; one of run, list/],
  ['an unknown flag', ['doctor', '--jsn'], /^error: --jsn: unknown flag \(did you mean --json\?\)$/],
  ['a flag without value', ['tokenize', '--model'], /^error: --model: needs a value$/],
  ['a missing flag', ['tokenize', '--model', model], /^error: --input: is required$/],
  ['a missing argument', ['study', 'show'], /^error: id: is required$/],
  ['too many arguments', ['study', 'show', 'a', 'b'], /^error: show: too many arguments/],
  ['an unknown device', [...score(good), '--device', 'tpu'], /^error: --device: tpu is not allowed/],
  ['a fraction of a thread', [...score(good), '--threads', '1.5'], /^error: --threads: 1\.5 is not allowed/],
  [
    'greedy at a temperature',
    ['generate', '--model', model, '--input', good, '--greedy', '--temperature', '2'],
    /^error: --greedy: cannot be used with --temperature$/,
  ],
  ['help for no command', ['help', 'nothing'], /^error: help nothing: nothing is no command$/],
  ['a missing file', score(join(folder, 'none.jsonl')), /none\.jsonl: file not found$/],
  ['a folder for a file', score(folder), /is a folder, a file is needed$/],
  ['an empty file', score(file('empty.jsonl', '\n')), /empty\.jsonl: holds no rows$/],
  ['text that is not JSON', score(file('text.jsonl', `${row({})}\nhello`)), /text\.jsonl: is not JSON: .* \(line 2\)$/],
  [
    'bytes that are not UTF-8',
    score(file('latin.jsonl', Buffer.from('{"id":"\xe9"}', 'latin1'))),
    /latin\.jsonl: is not UTF-8 \(line 1, byte 7\)$/,
  ],
  [
    'repeated ids',
    score(file('twice.jsonl', `${row({})}\n${row({})}`)),
    /the id stands already on line 1 \(row r1, line 2\)$/,
  ],
  [
    'an empty completion',
    score(file('blank.jsonl', row({ completion: '' }))),
    /completion: is empty \(row r1, line 1\)$/,
  ],
  [
    'negative ids',
    score(file('negative.jsonl', row({ prompt: undefined, prompt_ids: [-1] }))),
    /prompt_ids\[0\].* \(row r1, line 1\)$/,
  ],
  [
    'ids beyond the vocabulary',
    score(file('beyond.jsonl', row({ prompt: undefined, prompt_ids: [512] }))),
    /512 is outside the vocabulary of 512 \(row r1, line 1\)$/,
  ],
  [
    'an over-long prompt',
    score(file('long.jsonl', row({ prompt: undefined, prompt_ids: Array(257).fill(1) }))),
    /257 tokens, more than the limit of 256 \(row r1, line 1\)$/,
  ],
  [
    'chosen equal to rejected',
    ['train', 'reward', '--model', model, '--data', pairs, '--out', join(folder, 'out')],
    /pairs\.jsonl: rejected: equals chosen \(row p1, line 1\)$/,
  ],
  ['a missing checkpoint', ['tokenize', '--model', join(folder, 'none'), '--input', good], /none/],
  ['a folder that is no checkpoint', ['model', 'info', folder], /config\.json: file not found$/],
  ['another architecture', ['model', 'info', llama], /llama/i],
  [
    'an adapter without its head',
    ['reward', '--model', model, '--adapter', noHead, '--input', good],
    /has no score head/,
  ],
  ['a missing adapter', [...score(good), '--adapter', join(folder, 'none')], /none: folder not found/],
  [
    'an unknown setting',
    sft('--config', file('typo.yaml', 'epochs: 1\nlearning_rat: 1\n')),
    /typo\.yaml: learning_rat: unknown key, did you mean learning_rate\? \(line 2\)$/,
  ],
  ['a setting out of range', sft('--config', file('range.yaml', 'epochs: 0\n')), /range\.yaml: epochs: .* \(line 1\)$/],
  [
    'a filled output folder',
    ['train', 'sft', '--model', model, '--data', good, '--out', filled],
    /filled: the folder exists and is not empty/,
  ],
  [
    'a study setting that is none',
    ['study', 'run', '--model', model, '--preset', file('study.yaml', 'sft_epoch: 1\n')],
    /did you mean sft_epochs\? \(line 1\)$/,
  ],
  ['a study without a name', ['study', 'run', '--model', model, '--name', ' '], /^error: --name: is empty; /],
  ['an unknown preset', ['study', 'run', '--model', model, '--preset', 'large'], /^error: --preset: large is neither/],
  [
    'an unknown study',
    ['study', 'show', 'study-20260101-0000-aaaa'],
    /^error: study-20260101-0000-aaaa: is not a study in /,
  ],
  [
    'an unknown study to report on',
    ['report', 'nope', '--out', join(folder, 'out')],
    /^error: nope: is not a study in /,
  ],
  ['a file that is no export', ['study', 'import', good], /good\.jsonl/],
  ['a corpus folder that is taken', ['corpus', 'generate', '--out', filled], /filled: is not empty/],
  ['no corpus', ['corpus', 'audit', folder], /holds no corpus/],
  [
    'an output place that cannot be',
    ['corpus', 'generate', '--out', '/proc/none/corpus'],
    /cannot be made here|no permission|read-only/,
  ],
]

describe('bad input', () => {
  it.concurrent.each(cases)('%s', async (_name, args, line) => {
    const { code, stdout, stderr } = await runCli([...args, '--json', '--home', home])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
    expect(stderr.trimEnd()).toMatch(line)
  })

  it('a device that is not here, before anything is begun on it', async () => {
    const place = join(folder, 'no device')
    const args = ['study', 'run', '--device', 'cuda', '--model', model, '--json', '--home', place]
    const { code, stdout, stderr } = await runCli(args, { CUDA_VISIBLE_DEVICES: '' })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^error: --device: cuda (cannot compute here|is not available) [^\n]+use (--device )?cpu\n$/)
    expect(existsSync(join(place, 'studies'))).toBe(false)
    expect(JSON.parse((await runCli(['study', 'list', '--json', '--home', place])).stdout)).toEqual({ studies: [] })
  })

  it.each([
    ['a file', notFolder],
    ['below a file', join(notFolder, 'home')],
    ['where nothing can be made', '/proc/none'],
  ])('a data folder that is %s', async (_name, place) => {
    const { code, stdout, stderr } = await runCli(['study', 'list', '--json', '--home', place])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
  })

  it('leaves no output behind', () => {
    expect(readdirSync(folder)).not.toContain('out')
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })
})
