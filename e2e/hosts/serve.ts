/** `recompense serve` as a user starts it, and its address in the browser. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Launch, Opened } from './opened.ts'

const program = join(import.meta.dirname, '..', '..', 'src', 'main', 'cli', 'index.ts')

export async function startServe(dir: string) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, 'serve', '--home', dir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'exit')
  // A test that fails half-way must not leave a workbench running.
  const orphaned = () => child.kill('SIGKILL')
  process.once('exit', orphaned)
  void ended.then(() => process.off('exit', orphaned))
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()))
    void ended.then(([code]) => reject(new Error(`serve ended with ${code}: ${stderr}`)))
  })
  return {
    address,
    child,
    stderr: () => stderr,
    /** @returns the exit status */
    end: async (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal)
      const [code] = (await ended) as [number | null]
      return code
    },
  }
}

export async function launchServe({ dir, context, watch }: Launch): Promise<Opened> {
  const serve = await startServe(dir)
  const open = async (address: string) => {
    const page = await context.newPage()
    watch(page)
    await page.goto(address)
    return page
  }
  return {
    page: await open(serve.address),
    another: () => open(new URL('/', serve.address).href),
    close: async () => {
      for (const page of context.pages()) await page.close()
      await serve.end()
    },
  }
}
