/** A data file row by row, before anything is learned from it: every problem with its line, not only the first. */
import type { z } from 'zod'
import { BadInput } from '../../shared/bad-input.ts'
import type { RequestParameters, RowsCheck } from '../../shared/ipc.ts'
import { openBase } from '../engine/checkpoint/hf-folder.ts'
import { checkTokenizerFits, openTokenizer } from '../engine/checkpoint/tokenizer.ts'
import { defaultLimits, type Encoder, encodeDemonstrations, encodePairs, encodePrompts } from '../rows/encode.ts'
import { encodeTrajectories, type TrajectoryEncoder } from '../rows/encode-trajectories.ts'
import { readEachLine } from '../rows/jsonl.ts'
import { firstFault, type PlacedRow } from '../rows/read-rows.ts'
import { demonstrationSchema, pairSchema, promptRowSchema } from '../rows/row-schemas.ts'
import { trajectorySchema } from '../rows/trajectory-schema.ts'

const mostListed = 200
const sampled = 20

type Problem = RowsCheck['problems'][number]

type RowEncoder = Encoder & TrajectoryEncoder

interface RowKind {
  readonly schema: z.ZodType<{ readonly id: string }>
  readonly encode: (encoder: RowEncoder, placed: PlacedRow<never>) => unknown
}

const kinds: Readonly<Record<RequestParameters<'rows.check'>['kind'], RowKind>> = {
  demonstration: { schema: demonstrationSchema, encode: (encoder, placed) => encodeDemonstrations(encoder, [placed]) },
  pair: { schema: pairSchema, encode: (encoder, placed) => encodePairs(encoder, [placed]) },
  prompt: { schema: promptRowSchema, encode: (encoder, placed) => encodePrompts(encoder, [placed]) },
}

/** A demonstration may be a whole conversation, as train sft takes it too. */
const conversation: RowKind = {
  schema: trajectorySchema,
  encode: (encoder, placed) => encodeTrajectories(encoder, [placed]),
}

/**
 * With a model its tokenizer measures the rows too. Nothing but one line is held in memory, and the sample.
 * Throws `BadInput` where the file cannot be read at all, or the model cannot be opened.
 */
export async function checkRows({ file, kind, model }: RequestParameters<'rows.check'>): Promise<RowsCheck> {
  const encoder = model === undefined ? null : encoderOf(file, model)
  const problems: Problem[] = []
  const sample: Readonly<Record<string, unknown>>[] = []
  const lineOf = new Map<string, number>()
  let rows = 0
  let count = 0
  const report = (problem: Problem) => {
    count += 1
    if (problems.length < mostListed) problems.push(problem)
  }
  for await (const line of readEachLine(file)) {
    rows += 1
    if ('fault' in line) {
      report({ line: line.line, id: null, problem: line.fault.problem })
      continue
    }
    if (sample.length < sampled) sample.push(line.value)
    const own = kind === 'demonstration' && 'turns' in line.value ? conversation : kinds[kind]
    const problem = problemOf(own, encoder, line.line, line.value, lineOf)
    if (problem !== null) report({ line: line.line, id: idOf(line.value), problem })
  }
  if (rows === 0) report({ line: null, id: null, problem: 'the file holds no rows' })
  return { rows, problems, problem_count: count, sample }
}

function problemOf(
  { schema, encode }: RowKind,
  encoder: RowEncoder | null,
  line: number,
  value: Readonly<Record<string, unknown>>,
  lineOf: Map<string, number>,
): string | null {
  const parsed = schema.safeParse(value)
  if (!parsed.success) return firstFault(parsed.error)
  const { id } = parsed.data
  const earlier = lineOf.get(id)
  if (earlier !== undefined) return `the id stands already on line ${earlier}`
  lineOf.set(id, line)
  if (encoder === null) return null
  try {
    encode(encoder, { line, row: parsed.data } as PlacedRow<never>)
    return null
  } catch (error) {
    if (error instanceof BadInput) return error.problem
    throw error
  }
}

function idOf({ id }: Readonly<Record<string, unknown>>): string | null {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null
}

function encoderOf(file: string, model: string): RowEncoder {
  const base = openBase(model)
  const tokenizer = openTokenizer(model)
  checkTokenizerFits(base, tokenizer)
  return {
    file,
    tokenizer,
    // What training ends a completion with; a tokenizer that names none is refused there.
    eosId: tokenizer.eosId ?? base.eosIds[0] ?? 0,
    vocabSize: base.config.vocabSize,
    limits: { ...defaultLimits, contextTokens: Math.min(defaultLimits.contextTokens, base.config.maxPositions) },
  }
}
