/** Why a stage did not finish, as errors inside the workbench. */
import type { FailureCause } from '../jobs/stage-host.ts'

/** Stopped on request or killed: the study goes on from its last commit when resumed. */
export class StageInterrupted extends Error {
  override readonly name = 'StageInterrupted'
}

/** The work failed. */
export class StageFailed extends Error {
  override readonly name = 'StageFailed'
  readonly failure: FailureCause

  constructor(failure: FailureCause, message: string) {
    super(message)
    this.failure = failure
  }
}

/** Something that a study must never do was seen: it fails, by the name of the fact. */
export class IntegrityViolation extends Error {
  override readonly name = 'IntegrityViolation'
  readonly fact: string

  constructor(fact: string, detail: string) {
    super(`${fact}: ${detail}`)
    this.fact = fact
  }
}
