/**
 * The one error that means "what you gave us cannot be used". Every edge (command line, window, stage process)
 * prints it as a single line and exits with status 2; it is never used for a failure of the work itself.
 */
export class BadInput extends Error {
  override readonly name = 'BadInput'

  readonly subject: string
  readonly problem: string
  readonly where: string | undefined

  /**
   * @param subject the file or flag at fault, as the user wrote it
   * @param problem what is wrong and, where it is not obvious, the fix; no line breaks
   * @param where   the place inside the subject: "line 4", "row g0-r1", "tensor model.norm.weight", "byte 128"
   */
  constructor(subject: string, problem: string, where?: string) {
    super(oneLine(`${subject}: ${problem}${where === undefined ? '' : ` (${where})`}`))
    this.subject = subject
    this.problem = problem
    this.where = where
  }
}

/** Control characters and line breaks in names of files or rows must not break the one-line promise. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ')
}
