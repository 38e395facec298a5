/** A tensor as `torch.save` writes it: an uncompressed zip with a small pickle and the numbers. Read in place. */
import type { ByteSource } from '../bytes.ts'
import { readPickle } from './pickle.ts'
import { asKind, kindOf, type PickleValue, sequence } from './pickle-values.ts'
import { type ElementType, elementBytes, type Tensor } from './tensor.ts'

const storages: Readonly<Record<string, ElementType>> = {
  'torch.DoubleStorage': 'float64',
  'torch.FloatStorage': 'float32',
  'torch.HalfStorage': 'float16',
  'torch.BFloat16Storage': 'bfloat16',
  'torch.LongStorage': 'int64',
  'torch.IntStorage': 'int32',
  'torch.ShortStorage': 'int16',
  'torch.CharStorage': 'int8',
  'torch.ByteStorage': 'uint8',
  'torch.BoolStorage': 'bool',
}
const dialect = {
  symbols: new Set([...Object.keys(storages), 'torch._utils._rebuild_tensor_v2', 'collections.OrderedDict']),
  persistentIds: true,
  what: 'a tensor saved by torch',
}

/** Null where `None` was saved. Throws `BadInput` naming what is not as torch writes it. */
export function readTorchTensor(zip: ByteSource): Tensor | null {
  const entries = centralDirectory(zip)
  const pickleName = [...entries.keys()].find((name) => name === 'data.pkl' || name.endsWith('/data.pkl'))
  if (pickleName === undefined) throw zip.fault('is no tensor saved by torch: it has no data.pkl', 0)
  const folder = pickleName.slice(0, -'data.pkl'.length)
  const order = entries.get(`${folder}byteorder`)
  if (order !== undefined && Buffer.from(order.read(0, Math.min(order.length, 16))).toString('latin1') !== 'little')
    throw zip.fault('is a tensor saved on a big-endian machine, which is not read', 0)
  const value = readPickle(entries.get(pickleName)!, dialect)
  if (value === null) return null
  return tensorOf(zip, value, (key) => entries.get(`${folder}data/${key}`))
}

function tensorOf(zip: ByteSource, value: PickleValue, data: (key: string) => ByteSource | undefined): Tensor {
  const record = asKind('record', value)
  if (record?.callee !== 'torch._utils._rebuild_tensor_v2')
    throw zip.fault(`is no tensor saved by torch: it holds ${kindOf(value)}`, 0)
  const [storage, start, size, strides] = record.args
  const [kind, type, key, , count] = sequence(asKind('persistent', storage)?.id) ?? []
  const element = storages[asKind('symbol', type)?.name ?? '']
  const shape = sequence(size)
  if (
    kind !== 'storage' ||
    element === undefined ||
    typeof key !== 'string' ||
    shape === undefined ||
    !shape.every(isCount)
  )
    throw zip.fault('is no tensor saved by torch: its storage is not described as torch does', 0)
  const numbers = data(key)
  if (numbers === undefined) throw zip.fault('is a tensor without its numbers', 0)
  const elements = shape.reduce((product, length) => product * length, 1)
  if (!isContiguous(shape, sequence(strides)))
    throw zip.fault('is a tensor that does not lie row by row, which is not read; dumps hold contiguous tensors', 0)
  const width = elementBytes[element]
  if (!isCount(start) || !isCount(count) || start + elements > count || numbers.length !== count * width)
    throw zip.fault(`is damaged: ${numbers.length} bytes for ${elements} ${element} numbers`, 0)
  return { element, shape, bytes: numbers.part(start * width, elements * width, 'numbers') }
}

const isCount = (value: PickleValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Row by row; the stride of a dimension of one, or of nothing at all, says nothing. */
function isContiguous(shape: readonly number[], strides: readonly PickleValue[] | undefined): boolean {
  if (strides?.length !== shape.length) return false
  if (shape.includes(0)) return true
  let expected = 1
  for (let d = shape.length - 1; d >= 0; d--) {
    if (shape[d] !== 1 && strides[d] !== expected) return false
    expected *= shape[d]!
  }
  return true
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const headerSignature = 0x04034b50
const endBytes = 22
/** Torch writes no comment, but one of this length is harmless. */
const longestComment = 1024
/** Torch writes four to a tensor. */
const mostEntries = 64

/** Stored entries by name. Sizes come from the directory, since torch leaves them 0 in the local headers. */
function centralDirectory(zip: ByteSource): Map<string, ByteSource> {
  const tailStart = Math.max(0, zip.length - endBytes - longestComment)
  const tail = Buffer.from(zip.read(tailStart, zip.length - tailStart))
  let end = tail.length - endBytes
  while (end >= 0 && tail.readUInt32LE(end) !== endSignature) end--
  if (end < 0) throw zip.fault('is no tensor saved by torch: it is not a zip file', 0)
  const [count, size, offset] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (count > mostEntries) throw zip.fault(`announces ${count} entries, more than a tensor has`, tailStart + end)
  const directory = Buffer.from(zip.read(offset, size))
  const entries = new Map<string, ByteSource>()
  let at = 0
  for (let k = 0; k < count; k++) {
    const place = offset + at
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entrySignature)
      throw zip.fault('has a damaged zip directory', place)
    const [method, stored, bytes] = [
      directory.readUInt16LE(at + 10),
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 24),
    ]
    const nameBytes = directory.readUInt16LE(at + 28)
    const more = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes)
    if (method !== 0 || stored !== bytes) throw zip.fault('has a compressed entry, which torch does not write', place)
    entries.set(name, entryData(zip, directory.readUInt32LE(at + 42), bytes, name))
    at += 46 + nameBytes + more
  }
  return entries
}

function entryData(zip: ByteSource, headerOffset: number, bytes: number, name: string): ByteSource {
  const header = Buffer.from(zip.read(headerOffset, 30))
  if (header.readUInt32LE(0) !== headerSignature) throw zip.fault('has a damaged zip entry', headerOffset)
  const start = headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  return zip.part(start, bytes, JSON.stringify(name.slice(0, 100)))
}
