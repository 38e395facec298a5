/** Entry of the command line. */
import { runCommandLine } from './program.ts'

// A reader that has seen enough (`| head`) closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`error: standard output: cannot be written (${error.code ?? error.message})\n`)
  process.exit(1)
})
process.stderr.on('error', () => {})

process.exit(await runCommandLine(process.argv.slice(2)))
