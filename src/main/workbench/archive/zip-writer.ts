/** Writes a zip file piece by piece: equal content gives equal bytes, whatever the day or the machine. */
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { Zip, ZipDeflate } from 'fflate'
import { BadInput } from '../../../shared/bad-input.ts'
import { outputFile } from '../../engine/checkpoint/output-file.ts'

export interface ZipSource {
  /** Path inside the archive, `/` between parts. */
  readonly name: string
  /** A file to read, or the content itself. */
  readonly from: { readonly file: string; readonly bytes: number } | Uint8Array
}

/** The classic format counts in 32 bits; nothing of ours comes near it. */
export const largestArchive = 0xffff_ffff
/** 1980-01-01, the first day a zip can hold. */
const day = new Date(1980, 0, 1)

/** Writes under another name and renames at the end. Throws `BadInput` when the content is too large for the format. */
export function writeZip(target: string, sources: readonly ZipSource[]): void {
  const place = outputFile(target)
  const temporary = `${place}.partial-${process.pid}`
  const descriptor = openSync(temporary, 'wx')
  try {
    let written = 0
    const zip = new Zip((error, piece) => {
      if (error !== null) throw error
      for (let done = 0; done < piece.length; ) done += writeSync(descriptor, piece, done)
      written += piece.length
      if (written > largestArchive) throw new BadInput(target, 'the study is larger than the 4 GB a zip file holds')
    })
    for (const source of sources) addEntry(zip, source, target)
    zip.end()
    fsyncSync(descriptor)
    closeSync(descriptor)
    renameSync(temporary, place)
  } catch (error) {
    closeQuietly(descriptor)
    rmSync(temporary, { force: true })
    throw error
  }
}

function addEntry(zip: Zip, { name, from }: ZipSource, target: string): void {
  const entry = new ZipDeflate(name, { level: 6 })
  entry.mtime = day
  zip.add(entry)
  if (from instanceof Uint8Array) {
    entry.push(from, true)
    return
  }
  if (from.bytes > largestArchive) throw new BadInput(target, `${name} is larger than the 4 GB a zip file holds`)
  const file = openSync(from.file, 'r')
  try {
    // A fresh piece each time: the compressor keeps what it was given.
    for (;;) {
      const piece = new Uint8Array(1 << 20)
      const read = readSync(file, piece)
      entry.push(piece.subarray(0, read), read === 0)
      if (read === 0) return
    }
  } finally {
    closeSync(file)
  }
}

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor)
  } catch {
    // Closed already.
  }
}
