/** `recompense serve`: the workbench in a browser of this machine. */
import { spawn } from 'node:child_process'
import { InvalidArgumentError, Option } from 'commander'
import { define } from '../command.ts'
import { wholeNumber } from '../flags.ts'
import { requireCreatable } from '../user-path.ts'

interface Options {
  readonly port: number
  readonly open?: boolean
}

export const serve = define<Options>({
  name: 'serve',
  summary: 'the workbench in a browser, on this machine only',
  options: [
    new Option('--port <n>', 'port on 127.0.0.1; 0 takes any free one').argParser(portNumber).default(0),
    new Option('--open', 'also open the address in the default browser'),
  ],
  details: `Prints one address with a one-time token; the browser that opens it keeps a cookie, and nobody else gets in. On a
terminal, Enter prints a new address. The page is built first where it is missing or older than its sources. Runs go on
when the page is closed. Ctrl-C or SIGTERM stops a run at its next update and ends the workbench; a second Ctrl-C ends it
at once.
Result (printed when it is ready): address, port, home.`,
  example: 'serve --open',
  run: async (context, { port, open }) => {
    requireCreatable(context.home)
    const [{ requirePages }, { serveWorkbench }] = await Promise.all([
      import('../../host/http/built-pages.ts'),
      import('../../host/http/serve.ts'),
    ])
    const pages = await requirePages(context.note)
    const host = await serveWorkbench({ home: context.home, port, pages })
    const address = host.newAddress()
    const ready = context.json ? JSON.stringify({ address, port: host.port, home: context.home }) : address
    process.stdout.write(`${ready}\n`)
    if (open === true) openInBrowser(address)
    const forget = onEnter(() => context.note(host.newAddress()))
    await untilInterrupted(context.interrupts)
    forget()
    await host.close()
    return { json: null, text: () => '', printed: true }
  },
})

function portNumber(text: string): number {
  const value = wholeNumber(text)
  if (value < 0 || value > 65535) throw new InvalidArgumentError('Must be from 0 to 65535.')
  return value
}

function untilInterrupted({ during }: { during<T>(stop: () => void, work: () => Promise<T>): Promise<T> }) {
  let stop = () => {}
  const told = new Promise<void>((done) => {
    stop = done
  })
  return during(
    () => stop(),
    () => told,
  )
}

/** A lost cookie must not need a restart, which would interrupt what runs. */
function onEnter(say: () => void): () => void {
  if (process.stdin.isTTY !== true) return () => {}
  process.stdin.on('data', say)
  return () => {
    process.stdin.off('data', say)
    process.stdin.pause()
  }
}

function openInBrowser(address: string): void {
  const [program, ...args] =
    process.platform === 'win32'
      ? ['rundll32', 'url.dll,FileProtocolHandler', address]
      : [process.platform === 'darwin' ? 'open' : 'xdg-open', address]
  const child = spawn(program ?? '', args, { stdio: 'ignore', detached: true })
  // No browser to open is no fault: the address is printed.
  child.on('error', () => {})
  child.unref()
}
