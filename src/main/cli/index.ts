/** Entry of the command line. */
import { runCommandLine } from './program.ts'

// A reader that has seen enough (`| head`) closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})
process.stderr.on('error', () => {})

process.exit(await runCommandLine(process.argv.slice(2)))
