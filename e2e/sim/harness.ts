/**
 * Drives the bundled main (in a child, with the stand-in) and shows its window in a real Chromium page: app:// requests
 * go through protocol.handle, the bundled preload runs before the page, IPC goes to ipcMain.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'

type Msg = Record<string, unknown>
const WEB = 'http://recompense.app.localhost' // secure context, so its rules match a `secure` custom scheme
const toApp = (u: string) => u.replace(`${WEB}/`, 'app://recompense/')

export async function launchSim(page: Page, opts: { entry?: string; env?: Record<string, string> } = {}) {
  const child: ChildProcess = fork(opts.entry ?? 'out/main/index.js', [], {
    execArgv: ['--import', new URL('./register.ts', import.meta.url).href, '--disable-warning=ExperimentalWarning'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      SIM_USER_DATA: mkdtempSync(join(tmpdir(), 'recompense-sim-')),
      ...opts.env,
    },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  // A test that fails half-way must not leave an application running.
  const orphaned = () => child.kill('SIGKILL')
  process.once('exit', orphaned)
  void exited.then(() => process.off('exit', orphaned))
  let stderr = ''
  child.stderr?.on('data', (d) => {
    stderr += d
  })
  let n = 0
  const wait = new Map<number, (m: Msg) => void>()
  const ask = (m: Msg) =>
    new Promise<Msg>((ok) => {
      wait.set(++n, ok)
      // The page may still ask while the application ends; nobody answers it then.
      if (child.connected) child.send({ ...m, id: n }, () => {})
    })
  const log: Msg[] = []
  const violations: string[] = []
  let preload: string | undefined
  const loaded = new Promise<void>((ok, no) => {
    child.on('exit', (c) => no(new Error(`main exited ${c}: ${violations.join('; ') || stderr.slice(0, 800)}`)))
    child.on('message', async (m: Msg) => {
      if (m.t === 'reply') {
        wait.get(m.id as number)?.(m)
        wait.delete(m.id as number)
        return
      }
      log.push(m)
      if (m.t === 'violation') {
        violations.push(String(m.rule))
        no(new Error(String(m.rule)))
      }
      if (m.t === 'send') {
        await page.evaluate(deliver, { ch: String(m.ch), args: m.args as unknown[] }).catch(() => {})
      }
      if (m.t === 'window') preload = m.preload as string | undefined
      if (m.t === 'loadURL') {
        if (preload) await page.addInitScript({ content: preloadScript(readFileSync(preload, 'utf8')) })
        await page.goto(String(m.url).replace('app://recompense/', `${WEB}/`))
        child.send({ t: 'loaded' })
        ok()
      }
    })
  })
  await page.exposeBinding('__simInvoke', async (src, ch: string, args: unknown[]) => {
    const frame = { url: toApp(src.frame.url()), parent: src.frame.parentFrame() ? {} : null }
    const r = await ask({ t: 'invoke', ch, args, frame })
    if (r.e) throw new Error(`Error invoking remote method '${ch}': ${r.e}`)
    return r.r
  })
  await page.route('**/*', async (route) => {
    const q = route.request()
    if (q.isNavigationRequest() && q.frame() === page.mainFrame() && !q.url().startsWith(`${WEB}/`)) {
      log.push({ t: 'escaped-navigation', url: q.url() }) // reached only if the guard let it through
      return route.abort()
    }
    if (!q.url().startsWith(`${WEB}/`)) {
      log.push({ t: 'external', url: q.url() })
      return route.abort()
    }
    const r = await ask({ t: 'request', url: toApp(q.url()), method: q.method() })
    await route.fulfill({
      status: r.status as number,
      headers: r.headers as Record<string, string>,
      body: Buffer.from(String(r.body), 'base64'),
    })
  })
  return {
    loaded,
    log,
    violations,
    ask,
    invokeAs: (url: string, ch: string, ...args: unknown[]) =>
      ask({ t: 'invoke', ch, args, frame: { url, parent: null } }),
    /** What dialogs answer from now on: `open` of files, `message` the number of a button. */
    answers: (answers: { open?: { canceled: boolean; filePaths: string[] }; message?: number }) =>
      child.send({ t: 'answers', answers }),
    /** As a click on the window's close button; the application may have other plans. */
    closeWindow: () => child.send({ t: 'close' }),
    launchAgain: () => child.send({ t: 'second-instance' }),
    ended: () => exited,
    close: async () => {
      if (child.connected) child.send({ t: 'close' })
      await exited
    },
    kill: () => child.kill(),
    pid: child.pid,
  }
}

function deliver({ ch, args }: { ch: string; args: unknown[] }): void {
  ;(window as { __simDeliver?: (ch: string, args: unknown[]) => void }).__simDeliver?.(ch, args)
}

/** What a sandboxed preload may use: require of `electron` (renderer subset) only, and a cloning contextBridge. */
function preloadScript(code: string): string {
  return `(() => { if (window !== window.top) return;
  const invoke = window.__simInvoke; delete window.__simInvoke;
  const listeners = [];
  const ipcRenderer = Object.freeze({ invoke: (ch, ...a) => invoke(ch, structuredClone(a)), 
    on(ch, f) { listeners.push([ch, f]); return this },
    removeListener(ch, f) { const at = listeners.findIndex(([c, g]) => c === ch && g === f); if (at >= 0) listeners.splice(at, 1); return this } });
  window.__simDeliver = (ch, args) => { for (const [c, f] of [...listeners]) if (c === ch) f({ sender: ipcRenderer }, ...structuredClone(args)) };
  const wrap = (v, p) => { if (v === ipcRenderer || (v && v.invoke && v.on)) throw new Error('electron-sim: raw ipcRenderer exposed at ' + p);
    if (typeof v === 'function') return (...a) => { const r = v(...a.map((x) => typeof x === 'function' ? (...b) => { if (b.some((y) => y && y.sender)) throw new Error('electron-sim: raw event exposed at ' + p); return x(...structuredClone(b)) } : structuredClone(x))); return typeof r === 'function' ? () => r() : r && r.then ? r.then((x) => structuredClone(x)) : structuredClone(r) };
    if (v && typeof v === 'object') { if (Object.getPrototypeOf(v) !== Object.prototype && !Array.isArray(v)) throw new Error('electron-sim: contextBridge drops prototypes at ' + p); return Object.freeze(Object.fromEntries(Object.entries(v).map(([k, x]) => [k, wrap(x, p + '.' + k)]))) }
    return v };
  const contextBridge = { exposeInMainWorld: (k, v) => Object.defineProperty(window, k, { value: wrap(v, k), writable: false, configurable: false }) };
  const require = (m) => { if (m === 'electron') return { contextBridge, ipcRenderer }; throw new Error('module not found: ' + m + ' (sandboxed preload)') };
  const module = { exports: {} }; ((require, module, exports, process) => { ${code}\n })(require, module, module.exports, { versions: {}, platform: 'linux', env: {} });
})()`
}
