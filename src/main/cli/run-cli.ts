/** Runs the command line as a child process, for tests: as a shell sees it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('index.ts', import.meta.url))

export interface CliResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export function startCli(args: readonly string[], environment: Record<string, string> = {}) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, ...environment },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const result = new Promise<CliResult>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { child, result, stderr: () => stderr }
}

export function runCli(args: readonly string[], environment: Record<string, string> = {}): Promise<CliResult> {
  return startCli(args, environment).result
}
