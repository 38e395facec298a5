/** Figures of generation: cached greedy decoding with a non-zero adapter, one row and eight rows at a time. */
import type { Bench, Measured } from './bench.ts'
import { type Figure, timedFigure } from './figure.ts'
import { timed } from './measure.ts'
import { DECODE_PROMPT } from './presets.ts'

export const withPeft = 'generate with PEFT'
const withoutPeft = 'generate without PEFT'

export function measureDecode(bench: Bench, rows: number): Promise<Measured> {
  const { newTokens } = bench.options.preset
  const ask = { op: 'decode', prompts: promptsOf(bench, rows), new_tokens: newTokens }
  return bench.measure(
    `decode_b${rows}`,
    () => timed(bench.workload.decode(rows, newTokens)),
    { [withPeft]: { ...ask, adapter: true }, [withoutPeft]: { ...ask, adapter: false } },
    { share: 0.4, warmUp: 1 },
  )
}

export async function decodeFigure(bench: Bench, rows: number): Promise<Figure> {
  const { newTokens, name } = bench.options.preset
  const agreement = await tokenAgreement(bench, rows)
  const measured = await measureDecode(bench, rows)
  const rivals = bench
    .rivals(measured)
    .map((rival) => (agreement && rival.against.startsWith(withPeft) ? { ...rival, agreement } : rival))
  return timedFigure(`decode_b${rows}`, { unit: 'tokens/s', work: rows * newTokens }, measured.ours!, rivals, {
    shape: `greedy, cached, ${rows} row${rows === 1 ? '' : 's'}, prompt ${DECODE_PROMPT}, ${newTokens} new tokens, prefill included`,
    ...(name !== 'qwen2.5-0.5b' && { gate: { of: 'ratio', at_least: 8 } }),
  })
}

/** Share of equal tokens: random weights have near-ties, so that a last bit may part two rows. */
async function tokenAgreement(bench: Bench, rows: number): Promise<Record<string, number> | undefined> {
  const { peer, workload, options } = bench
  if (peer === undefined) return undefined
  await peer.ask({ op: 'reset' })
  const { newTokens } = options.preset
  const ask = { op: 'decode', prompts: promptsOf(bench, rows), new_tokens: newTokens, adapter: true }
  const theirs = (await peer.ask(ask)).tokens ?? []
  const ours = await workload.decode(rows, newTokens)()
  const equal = ours.flatMap((row, b) => row.map((id, t) => Number(theirs[b]?.[t] === id)))
  return { equal_tokens: equal.reduce((sum, one) => sum + one, 0) / equal.length }
}

function promptsOf(bench: Bench, rows: number): (readonly number[])[] {
  return bench.workload.decodePrompts(rows).map((row) => row.promptIds)
}
