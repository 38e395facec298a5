/** What a command hands back. Nothing reaches stdout before the work is done, so a failed command leaves it empty. */

export interface Outcome {
  /** The one document that `--json` prints. */
  readonly json: unknown
  /** The same for people; made only when it is printed. */
  readonly text: () => string
  /** 1 where the work ran and its finding is a failure (a damaged study, a changed corpus); default 0. */
  readonly exitCode?: 0 | 1 | 130
  /** The command printed its result while it ran, since it is of use only then. */
  readonly printed?: boolean
}
