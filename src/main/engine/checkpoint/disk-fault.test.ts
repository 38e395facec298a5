import { expect, it } from 'vitest'
import { DiskFault, diskFault, writingFile } from './disk-fault.ts'

const fault = (code: string) => Object.assign(new Error(`${code}: write`), { code })

it.each([
  ['ENOSPC', 'out/a.csv: the disk is full; nothing was written under this name'],
  ['EDQUOT', 'out/a.csv: the disk quota is used up; nothing was written under this name'],
  ['EIO', 'out/a.csv: the disk reports an input/output error; nothing was written under this name'],
  ['EFBIG', 'out/a.csv: the file is larger than this disk takes; nothing was written under this name'],
])('%s names the file', (code, message) => {
  expect(diskFault('out/a.csv', fault(code))?.message).toBe(message)
})

it('keeps the innermost name, and leaves other errors alone', () => {
  const inner = diskFault('out/tables/a.csv', fault('ENOSPC'))
  expect(diskFault('out', inner)).toBe(inner)
  expect(diskFault('out', fault('EACCES'))).toBeUndefined()
  expect(() =>
    writingFile('a', () => {
      throw fault('EIO')
    }),
  ).toThrow(DiskFault)
  expect(() =>
    writingFile('a', () => {
      throw fault('EACCES')
    }),
  ).toThrow('EACCES: write')
})
