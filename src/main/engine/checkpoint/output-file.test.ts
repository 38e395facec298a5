import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { writeZip } from '../../workbench/archive/zip-writer.ts'
import { writeWhole } from '../../workbench/files-on-disk.ts'
import { writeFileAtomically, writeFolderAtomically, writeStreamAtomically } from './atomic-write.ts'
import { outputFile } from './output-file.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'recompense-output-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folder: string
let made = 0
beforeEach(() => {
  folder = join(root, String(made++))
  mkdirSync(folder)
})

const bytes = Buffer.from('new')
async function* stream() {
  yield bytes
}
const writers: readonly [string, (file: string) => void | Promise<void>][] = [
  ['writeFileAtomically', (file) => writeFileAtomically(file, [bytes])],
  ['writeStreamAtomically', (file) => writeStreamAtomically(file, stream())],
  ['writeWhole', (file) => writeWhole(file, bytes)],
  ['writeZip', (file) => writeZip(file, [{ name: 'a', from: bytes }])],
]

/** A character device that any process may read and write as nothing; null where this process may not make one. */
function device(path: string): string | null {
  try {
    execFileSync('mknod', [path, 'c', '1', '3'], { stdio: 'ignore' })
    return path
  } catch {
    return null
  }
}

describe.each(writers)('%s', (name, write) => {
  const isWritten = (file: string) => {
    const text = readFileSync(file, 'latin1')
    return name === 'writeZip' ? text.startsWith('PK') : text === 'new'
  }

  it('replaces the file that a chain of links leads to, and the links stay', async () => {
    mkdirSync(join(folder, 'there'))
    const file = join(folder, 'there', 'file')
    writeFileSync(file, 'old')
    symlinkSync('file', join(folder, 'there', 'second'))
    symlinkSync(join('there', 'second'), join(folder, 'first'))
    await write(join(folder, 'first'))
    expect(isWritten(file)).toBe(true)
    expect(readlinkSync(join(folder, 'first'))).toBe(join('there', 'second'))
    expect(readlinkSync(join(folder, 'there', 'second'))).toBe('file')
    expect(readdirSync(join(folder, 'there')).sort()).toEqual(['file', 'second'])
    expect(readdirSync(folder).sort()).toEqual(['first', 'there'])
  })

  it('makes the file that a link leads to where there is none yet, from the folder that holds the link', async () => {
    mkdirSync(join(folder, 'real', 'inner'), { recursive: true })
    symlinkSync(join('real', 'inner'), join(folder, 'short'))
    symlinkSync(join('..', 'later'), join(folder, 'real', 'inner', 'link'))
    await write(join(folder, 'short', 'link'))
    expect(isWritten(join(folder, 'real', 'later'))).toBe(true)
    expect(lstatSync(join(folder, 'real', 'inner', 'link')).isSymbolicLink()).toBe(true)
  })

  it('refuses a folder, a pipe and a device, by itself or through a link, and leaves them as they are', async () => {
    const [pipe, node] = [join(folder, 'pipe'), device(join(folder, 'node'))]
    execFileSync('mkfifo', [pipe])
    symlinkSync('pipe', join(folder, 'link'))
    const cases: [string, string][] = [
      [folder, 'is a folder, a file is needed'],
      [pipe, 'is a named pipe, not a file'],
      [join(folder, 'link'), 'is a named pipe, not a file'],
      ...(node === null ? [] : [[node, 'is a device, not a file'] satisfies [string, string]]),
    ]
    const before = readdirSync(folder).sort()
    for (const [path, problem] of cases) {
      const refused = await Promise.resolve()
        .then(() => write(path))
        .then(
          () => null,
          (error: unknown) => error,
        )
      expect(refused, path).toBeInstanceOf(BadInput)
      expect(refused).toMatchObject({ subject: path, problem })
    }
    expect(readdirSync(folder).sort()).toEqual(before)
    expect(lstatSync(pipe).isFIFO()).toBe(true)
    if (node !== null) expect(lstatSync(node).isCharacterDevice()).toBe(true)
  })
})

it('a folder is replaced where a link leads, and the link stays', () => {
  mkdirSync(join(folder, 'target'))
  symlinkSync('target', join(folder, 'link'))
  writeFolderAtomically(join(folder, 'link'), (temporary) => writeFileSync(join(temporary, 'a'), 'new'))
  expect(readFileSync(join(folder, 'target', 'a'), 'utf8')).toBe('new')
  expect(readlinkSync(join(folder, 'link'))).toBe('target')
})

describe('outputFile', () => {
  it('refuses links that form a loop, a file in place of a folder, and a path that cannot be', () => {
    symlinkSync('b', join(folder, 'a'))
    symlinkSync('a', join(folder, 'b'))
    expect(() => outputFile(join(folder, 'a'))).toThrow('symbolic links form a loop')
    writeFileSync(join(folder, 'file'), '')
    expect(() => outputFile(join(folder, 'file', 'x'))).toThrow('a part of the path is a file, not a folder')
    expect(() => outputFile(join(folder, 'a\0b'))).toThrow('holds a character that no path can have')
  })

  it.runIf(process.platform === 'linux')('refuses a link to an open pipe that has no name', () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    rmSync(pipe)
    symlinkSync(`/proc/self/fd/${fd}`, join(folder, 'link'))
    try {
      expect(() => outputFile(join(folder, 'link'))).toThrow('is a named pipe, not a file')
    } finally {
      closeSync(fd)
    }
  })

  it('leaves a place that is free, or whose folder is missing, as it was named', () => {
    expect(outputFile(join(folder, 'none', 'x'))).toBe(join(folder, 'none', 'x'))
  })
})
