/** A SkyRL training batch out of its pickle: named tensors and metadata, in the form of this year's trees and of older ones. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { ByteSource } from '../bytes.ts'
import { readPickle } from './pickle.ts'
import { asKind, kindOf, type PickleBytes, type PickleDict, type PickleValue, sequence } from './pickle-values.ts'
import { type ElementType, elementBytes, type Tensor } from './tensor.ts'
import { readTorchTensor } from './torch-zip.ts'

/** A tensor of the whole batch, or one tensor a row where rows differ in length. */
export type BatchField = Tensor | readonly Tensor[]

export interface TrainingBatch {
  readonly rows: number
  /** Null where the dump says None. */
  readonly fields: ReadonlyMap<string, BatchField | null>
  /** By name; other keys are of no use to anyone. */
  readonly metadata: ReadonlyMap<string, PickleValue>
}

const modules = ['skyrl.backends.skyrl_train.training_batch', 'skyrl_train.training_batch']
const classes = modules.flatMap((module) => [`${module}.TrainingInputBatch`, `${module}.TensorBatch`])
const rebuild = modules.map((module) => `${module}._rebuild_tensor_batch`)
const dialect = {
  symbols: new Set([
    ...classes,
    ...rebuild,
    'torch.device',
    // Older trees pickle every tensor a second time in torch's own way; named, never read.
    'torch._utils._rebuild_tensor_v2',
    'torch.storage._load_from_bytes',
    'collections.OrderedDict',
    // A metric that was not turned into a plain number.
    'numpy.dtype',
    'numpy.core.multiarray.scalar',
    'numpy._core.multiarray.scalar',
  ]),
  persistentIds: false,
  what: 'a SkyRL dump',
}

/** Throws `BadInput` for anything but a dumped training batch. */
export function readTrainingBatch(file: string, source: ByteSource): TrainingBatch {
  const state = stateOf(file, readPickle(source, dialect))
  const dict = asKind('dict', entry(state, 'batch_dict'))
  const metadata = asKind('dict', entry(state, 'metadata'))
  if (dict === undefined) throw new BadInput(file, 'is not a SkyRL dump: its state has no batch_dict')
  const fields = new Map<string, BatchField | null>()
  for (const [name, value] of dict.entries) {
    if (typeof name !== 'string') throw new BadInput(file, `is not a SkyRL dump: a field is named by ${kindOf(name)}`)
    fields.set(name, field(file, source, name, value))
  }
  const rows = batchRows(file, entry(state, 'batch_size'), fields)
  return { rows, fields, metadata: stringKeys(metadata) }
}

function stateOf(file: string, top: PickleValue): PickleDict {
  const record = asKind('record', top)
  if (record === undefined) throw new BadInput(file, `is not a SkyRL dump: the pickle holds ${kindOf(top)}`)
  const state = rebuild.includes(record.callee)
    ? record.args[1]
    : classes.includes(record.callee)
      ? record.state
      : undefined
  const dict = asKind('dict', state)
  if (dict !== undefined) return dict
  throw new BadInput(
    file,
    record.entries.size > 0
      ? "is an older SkyRL dump that holds its tensors in torch's own pickle form alone, which is not read; dump it again with a newer SkyRL"
      : `is not a SkyRL dump: the pickle holds ${kindOf(top)} without a state`,
  )
}

const entry = (dict: PickleDict, name: string): PickleValue | undefined => dict.entries.get(name)

function stringKeys(dict: PickleDict | undefined): Map<string, PickleValue> {
  const named = new Map<string, PickleValue>()
  for (const [key, value] of dict?.entries ?? []) if (typeof key === 'string') named.set(key, value)
  return named
}

function field(file: string, source: ByteSource, name: string, value: PickleValue): BatchField | null {
  if (value === null) return null
  const saved = asKind('bytes', value)
  if (saved !== undefined) return readTorchTensor(part(source, name, saved))
  const dict = asKind('dict', value)
  if (dict === undefined)
    throw new BadInput(file, `holds ${kindOf(value)} where a tensor should be`, `field ${shown(name)}`)
  if (entry(dict, 'format') !== 'tensor_list') return tensor(file, source, name, dict)
  const items = sequence(entry(dict, 'items'))
  if (items === undefined) throw new BadInput(file, 'has a tensor list without items', `field ${shown(name)}`)
  return items.map((item) => {
    const one = asKind('dict', item)
    const read = one === undefined ? null : tensor(file, source, name, one)
    if (read === null)
      throw new BadInput(file, `holds ${kindOf(item)} where a tensor should be`, `field ${shown(name)}`)
    return read
  })
}

function tensor(file: string, source: ByteSource, name: string, dict: PickleDict): Tensor | null {
  const refuse = (problem: string): never => {
    throw new BadInput(file, problem, `field ${shown(name)}`)
  }
  const data = asKind('bytes', entry(dict, 'data'))
  if (data === undefined) return refuse('has a tensor without data')
  const format = entry(dict, 'format')
  if (format === 'torch') return readTorchTensor(part(source, name, data))
  if (format !== 'numpy' && format !== undefined)
    return refuse(`has a tensor in the format ${JSON.stringify(format)}; numpy, torch and tensor_list are read`)
  const [element, shape] = [entry(dict, 'dtype'), sequence(entry(dict, 'shape'))]
  if (!isElement(element))
    return refuse(
      `has numbers of type ${typeof element === 'string' ? JSON.stringify(element.slice(0, 40)) : kindOf(element)}; ${Object.keys(elementBytes).join(', ')} are read`,
    )
  if (
    shape === undefined ||
    !shape.every((length) => typeof length === 'number' && Number.isSafeInteger(length) && length >= 0)
  )
    return refuse('has a tensor without a shape')
  const lengths = shape as readonly number[]
  const bytes = lengths.reduce((product, length) => product * length, elementBytes[element])
  if (bytes !== data.length) return refuse(`has ${data.length} bytes for the shape ${lengths.join('×')} of ${element}`)
  return { element, shape: lengths, bytes: part(source, name, data) }
}

const isElement = (value: PickleValue | undefined): value is ElementType =>
  typeof value === 'string' && Object.hasOwn(elementBytes, value)

const part = (source: ByteSource, name: string, { offset, length }: PickleBytes) =>
  source.part(offset, length, `field ${shown(name)}`)

const shown = (name: string) => name.slice(0, 60)

function batchRows(file: string, stated: PickleValue | undefined, fields: TrainingBatch['fields']): number {
  const rows = lengthOf(fields.get('sequences') ?? null)
  if (rows === undefined) throw new BadInput(file, 'is not a SkyRL dump of rollouts: it has no sequences')
  if (stated !== rows && stated !== null && stated !== undefined)
    throw new BadInput(
      file,
      `says that it has ${typeof stated === 'number' ? stated : kindOf(stated)} rows, its sequences are ${rows}`,
    )
  for (const [name, value] of fields) {
    const length = lengthOf(value)
    if (length !== undefined && length !== rows)
      throw new BadInput(file, `has ${length} rows, its sequences are ${rows}`, `field ${shown(name)}`)
  }
  return rows
}

const lengthOf = (value: BatchField | null): number | undefined =>
  value === null ? undefined : 'shape' in value ? (value.shape[0] ?? 0) : value.length
