/**
 * Another trainer's rollouts as a trajectory file: read row by row, checked against our own reader's schema, and written
 * whole or not at all. The command line and the window import through here.
 */
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { BadInput } from '../../../shared/bad-input.ts'
import type { ImportFormat } from '../../../shared/credit.ts'
import { firstNonFinite } from '../../../shared/non-finite.ts'
import { writeStreamAtomically } from '../../engine/checkpoint/atomic-write.ts'
import { openTokenizer } from '../../engine/checkpoint/tokenizer.ts'
import type { ImportCheck, ImportedRow, RolloutSource } from '../../importers/rollout-row.ts'
import { rolloutSource } from '../../importers/rollout-source.ts'
import type { SkyrlOptions } from '../../importers/skyrl/recovery.ts'
import { TokenCheck } from '../../importers/token-check.ts'
import { firstFault } from '../../rows/read-rows.ts'
import { trajectorySchema } from '../../rows/trajectory-schema.ts'

export interface ImportRequest {
  readonly format: ImportFormat
  readonly path: string
  /** Folder with the tokenizer of the policy that sampled. */
  readonly tokenizer?: string
  /** SkyRL only: how its rewards are recovered. */
  readonly recovery?: SkyrlOptions
  /** Trajectory file to write; an older one is replaced. */
  readonly out: string
}

export interface ImportReport {
  /** Absolute. */
  readonly file: string
  readonly from: ImportFormat
  readonly rows: number
  readonly groups: number
  /** Rows whose reward is null. */
  readonly without_reward: number
  readonly fields_found: readonly string[]
  readonly fields_absent: readonly string[]
  /** What a reader must know, one sentence each. */
  readonly notes: readonly string[]
  /** Checks that failed, in words. */
  readonly warnings: readonly string[]
  /** Recovered numbers beside those that the dump records. */
  readonly checks: readonly ImportCheck[]
  /** Turns whose recorded ids are not what their text gives, and their rows; null where no tokenizer was named. */
  readonly reencoded_differently: { readonly turns: number; readonly rows: readonly string[] } | null
}

/** Throws `BadInput` for anything that is not such a dump; then `out` is as it was. */
export async function importRollouts(request: ImportRequest): Promise<ImportReport> {
  const { format, path, out } = request
  const source = rolloutSource(format, path, request.recovery ?? {})
  requireApart(source, out)
  const tokens = request.tokenizer === undefined ? null : new TokenCheck(openTokenizer(request.tokenizer))
  const counts = { rows: 0, withoutReward: 0, groups: new Set<string>() }
  await writeStreamAtomically(out, lines(path, source, tokens, counts))
  const { found, absent, notes, checks } = source.summary()
  const filled = tokens !== null && tokens.tokenised > 0
  return {
    file: resolve(out),
    from: format,
    rows: counts.rows,
    groups: counts.groups.size,
    without_reward: counts.withoutReward,
    fields_found: found,
    fields_absent: filled ? absent.filter((name) => name !== 'token_ids') : absent,
    notes: [...notes, ...notesOfTokens(request, tokens)],
    warnings: checks.filter(({ agrees }) => !agrees).map(warningOf),
    checks,
    reencoded_differently: tokens === null ? null : { turns: tokens.differingTurns, rows: tokens.differingRows },
  }
}

/** Writing over what is being read would leave neither. */
function requireApart({ inputs }: RolloutSource, out: string): void {
  const target = real(out)
  for (const input of inputs.map(real)) {
    if (target === input || target.startsWith(input + sep))
      throw new BadInput(out, 'belongs to the dump that is imported; name another file')
  }
}

/** With links followed as far as the path exists. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const absolute = resolve(path)
    return dirname(absolute) === absolute ? absolute : join(real(dirname(absolute)), basename(absolute))
  }
}

/** Milliseconds after which others in this process have their turn: a window shares it. */
const longestTurn = 30

async function* lines(
  path: string,
  source: RolloutSource,
  tokens: TokenCheck | null,
  counts: { rows: number; withoutReward: number; readonly groups: Set<string> },
): AsyncGenerator<Uint8Array> {
  const seen = new Set<string>()
  let rested = performance.now()
  for await (const read of source.rows()) {
    if (performance.now() - rested > longestTurn) {
      await setImmediate()
      rested = performance.now()
    }
    const row = tokens === null ? read : tokens.apply(read)
    requireRow(path, row, seen)
    counts.rows++
    counts.withoutReward += row.reward === null ? 1 : 0
    counts.groups.add(row.group)
    yield Buffer.from(`${JSON.stringify(row)}\n`)
  }
  if (counts.rows === 0) throw new BadInput(path, 'holds no rollout')
}

/** What is written must be what our own reader takes. */
function requireRow(path: string, row: ImportedRow, seen: Set<string>): void {
  const parsed = trajectorySchema.safeParse(row)
  if (!parsed.success) throw new BadInput(path, firstFault(parsed.error), `row ${row.id}`)
  // A field that the schema does not know may hold any number.
  const wrong = firstNonFinite(row)
  if (wrong !== undefined)
    throw new BadInput(path, `${wrong.place} is ${wrong.value}, not a finite number`, `row ${row.id}`)
  if (seen.has(row.id)) throw new BadInput(path, 'holds the same rollout twice', `row ${row.id}`)
  seen.add(row.id)
}

function notesOfTokens({ tokenizer, format }: ImportRequest, tokens: TokenCheck | null): string[] {
  if (tokens === null) return []
  const notes: string[] = []
  if (tokens.tokenised > 0)
    notes.push(
      `turns re-tokenised with ${tokenizer}, each on its own: ${tokens.tokenised}; their ids are not the ones that were sampled${format === 'reward-lens' || format === 'trajectories' ? '' : ', which had special tokens that the texts lack'}`,
    )
  if (tokens.differingTurns > 0)
    notes.push(
      `turns whose recorded ids are not what their text gives: ${tokens.differingTurns}, rollouts with such a turn: ${tokens.differingRows.length}; ids are kept as they are, and each row names its turns in reencodes_differently`,
    )
  return notes
}

const warningOf = ({ name, recorded, found, difference }: ImportCheck): string =>
  recorded === null
    ? `${name}: does not agree with what is recorded, by up to ${difference.toPrecision(3)}`
    : `${name}: ${found.toPrecision(6)} is recovered, ${recorded.toPrecision(6)} is recorded; the estimator, gamma or lambda is not that of the run`
