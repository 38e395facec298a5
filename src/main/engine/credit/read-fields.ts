/**
 * The fields of trajectories that only models can give: log-probabilities under a policy, its reference and a teacher,
 * values, the retention gate of the policy's attention, prefix scores and token influences of a reward model. Every
 * estimator can then be run on one file. Nothing that was recorded is replaced unless asked.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { TokenField, Trajectory, Turn } from '../../../shared/trajectory.ts'
import { nullTokenId } from '../learn/null-token.ts'
import { prefixValues, tokenLogProbs } from '../learn/reading.ts'
import type { Role } from '../learn/role.ts'
import type { StageContext } from '../learn/stage-context.ts'
import { type OnPhase, readableRow, readingShape } from './datc/credit-of-rollouts.ts'
import { type RewardReading, readRewardGradients } from './datc/input-gradients.ts'
import { influences } from './datc/token-rewards.ts'
import { retentionGate } from './estimators/retention-gate.ts'
import { overCompletion, type TrainedRow } from './trained-row.ts'
import { readTransport } from './transport/transport-reading.ts'

/** Null is the base alone; what is absent is not read. */
export interface FieldReaders {
  readonly policy?: Role | null
  readonly reference?: Role | null
  readonly teacher?: Role | null
  readonly value?: Role
  readonly reward?: Role
}

export interface FieldOptions {
  /** Bounds of the retention gate. */
  readonly gate: { readonly least: number; readonly most: number }
  /** Stands for nothing in `token_influences`; default PAD. */
  readonly nullToken?: number | undefined
  /** Read again what the file holds already; log-probabilities of the sampling are never replaced. */
  readonly replace: boolean
}

export interface FieldsRead {
  readonly trajectories: readonly Trajectory[]
  /** By field: rollouts that got it, and rollouts that kept what they had. */
  readonly fields: Readonly<Record<string, { readonly read: number; readonly kept: number }>>
}

type OverCompletion = readonly number[]

/** @throws BadInput naming the row whose ids are missing or do not fit the model */
export async function readFields(
  context: StageContext,
  readers: FieldReaders,
  trajectories: readonly Trajectory[],
  file: string,
  options: FieldOptions,
  onPhase?: OnPhase,
): Promise<FieldsRead> {
  const rows = trajectories.map((trajectory) => readableRow(trajectory, file, [context]))
  const { model, base } = context
  const nullId = readers.reward === undefined ? undefined : nullTokenId(context, options.nullToken)
  const shape = readingShape(context, rows)
  const says = (phase: string) => (done: number) => onPhase?.(phase, done, rows.length)
  const writer = new FieldWriter(trajectories, rows, options.replace)

  const logProbFields = [
    ['logprobs', readers.policy],
    ['ref_logprobs', readers.reference],
    ['teacher_logprobs', readers.teacher],
  ] as const
  for (const [field, role] of logProbFields)
    if (role !== undefined) writer.actions(field, await tokenLogProbs(model, role, rows, shape, says(field)))

  if (readers.policy !== undefined) {
    const read = await readTransport(model, readers.policy, rows, shape, says('retention'))
    const { least, most } = options.gate
    writer.actions(
      'retention',
      read.map(({ concentration }) => concentration.map((c) => retentionGate(c, least, most))),
    )
  }
  if (readers.value !== undefined) {
    const values = await prefixValues(model, readers.value, rows, shape, says('values'))
    writer.actions(
      'values',
      values.map((row) => row.slice(0, -1)),
    )
    writer.whole(
      'bootstrap_value',
      values.map((row, i) => (trajectories[i]!.truncated ? row.at(-1)! : undefined)),
    )
  }
  if (readers.reward !== undefined && nullId !== undefined) {
    const readings = await readRewardGradients(model, readers.reward, rows, shape, {
      baseScore: true,
      onRows: says('reward model'),
    })
    writer.prefixScores(readings)
    const table = base.float32('model.embed_tokens.weight')
    writer.actions(
      'token_influences',
      readings.map((reading, i) =>
        overCompletion(rows[i]!, influences(rows[i]!, reading, table, base.config.hiddenSize, nullId)),
      ),
    )
  }
  return writer.result()
}

/** Puts lists over completions beside the tokens of their turns. */
class FieldWriter {
  private trajectories: readonly Trajectory[]
  private readonly rows: readonly TrainedRow[]
  private readonly replace: boolean
  private readonly fields: Record<string, { read: number; kept: number }> = {}

  constructor(trajectories: readonly Trajectory[], rows: readonly TrainedRow[], replace: boolean) {
    this.trajectories = trajectories
    this.rows = rows
    this.replace = replace
  }

  /** Of the assistant turns. */
  actions(field: TokenField, lists: readonly OverCompletion[]): void {
    this.write(field, lists, ({ role }) => role === 'assistant')
  }

  /** Of the prompt alone, then of every turn of the completion: observations between actions too. */
  prefixScores(readings: readonly Pick<RewardReading, 'baseScore' | 'prefixScores'>[]): void {
    const before = this.trajectories
    this.write(
      'prefix_scores',
      readings.map(({ prefixScores }) => prefixScores),
      () => true,
    )
    // The score they are differences to is of the same reading.
    const changed = this.trajectories.map((trajectory, i) => trajectory !== before[i])
    this.each('base_score', (trajectory, i) =>
      changed[i] ? { ...trajectory, base_score: readings[i]!.baseScore! } : trajectory,
    )
  }

  whole(field: 'bootstrap_value', values: readonly (number | undefined)[]): void {
    this.each(field, (trajectory, i) =>
      values[i] === undefined || this.stays(trajectory, field) ? trajectory : { ...trajectory, [field]: values[i] },
    )
  }

  result(): FieldsRead {
    return { trajectories: this.trajectories, fields: this.fields }
  }

  private write(field: TokenField, lists: readonly OverCompletion[], wanted: (turn: Turn) => boolean): void {
    this.each(field, (trajectory, i) => {
      // Numbers of two readings in one rollout would be compared with each other: it keeps all it has, or gets all anew.
      if (trajectory.turns.some((turn) => this.stays(turn, field))) return trajectory
      const { promptIds, completionIds } = this.rows[i]!
      let from = -promptIds.length
      let written = false
      const turns = trajectory.turns.map((turn): Turn => {
        const [start, end] = [from, from + (turn.token_ids?.length ?? 0)]
        from = end
        const inside = start >= 0 && end <= completionIds.length && end > start
        if (!inside || !wanted(turn)) return turn
        written = true
        return { ...turn, [field]: lists[i]!.slice(start, end) }
      })
      return written ? { ...trajectory, turns } : trajectory
    })
  }

  private stays(recorded: object, field: string): boolean {
    return Object.hasOwn(recorded, field) && (!this.replace || field === 'logprobs')
  }

  /** `written` returns the very trajectory where it changes nothing. */
  private each(field: string, written: (trajectory: Trajectory, i: number) => Trajectory): void {
    const before = this.trajectories
    this.trajectories = before.map(written)
    const read = this.trajectories.filter((trajectory, i) => trajectory !== before[i]).length
    this.fields[field] = { read, kept: before.length - read }
  }
}

/** @throws BadInput where there is nothing to read with */
export function requireReaders(readers: FieldReaders): void {
  if (Object.values(readers).every((role) => role === undefined))
    throw new BadInput(
      'credit read',
      'needs at least one of --policy, --reference, --teacher, --value-adapter, --reward-adapter',
    )
}
