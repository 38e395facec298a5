/** What a pickle says, as plain data: symbols stand for themselves, calls are records of what would have been called. */

export interface PickleBytes {
  readonly kind: 'bytes'
  /** Where the bytes lie in the source; they are not read until someone asks. */
  readonly offset: number
  readonly length: number
}
export interface PickleList {
  readonly kind: 'list'
  readonly items: PickleValue[]
}
export interface PickleTuple {
  readonly kind: 'tuple'
  readonly items: readonly PickleValue[]
}
/** A Map, since any string is a legal key, `__proto__` too. */
export interface PickleDict {
  readonly kind: 'dict'
  readonly entries: Map<PickleValue, PickleValue>
}
/** A name out of the allowed list; nothing is loaded by it. */
export interface PickleSymbol {
  readonly kind: 'symbol'
  readonly name: string
}
/** `callee(*args)` that was not called, with what would have been set on its result. */
export interface PickleRecord {
  readonly kind: 'record'
  readonly callee: string
  readonly args: readonly PickleValue[]
  readonly entries: Map<PickleValue, PickleValue>
  state: PickleValue | undefined
}
export interface PicklePersistent {
  readonly kind: 'persistent'
  readonly id: PickleValue
}

export type PickleObject =
  | PickleBytes
  | PickleList
  | PickleTuple
  | PickleDict
  | PickleSymbol
  | PickleRecord
  | PicklePersistent
export type PickleValue = null | boolean | number | bigint | string | PickleObject

export function isObject(value: PickleValue | undefined): value is PickleObject {
  return typeof value === 'object' && value !== null
}

/** The object when it is of that kind, else undefined. */
export function asKind<K extends PickleObject['kind']>(
  kind: K,
  value: PickleValue | undefined,
): Extract<PickleObject, { kind: K }> | undefined {
  return isObject(value) && value.kind === kind ? (value as Extract<PickleObject, { kind: K }>) : undefined
}

/** The items of a list or a tuple, else undefined. */
export function sequence(value: PickleValue | undefined): readonly PickleValue[] | undefined {
  return (asKind('list', value) ?? asKind('tuple', value))?.items
}

/** What a value is called in a message. */
export function kindOf(value: PickleValue | undefined): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'None'
  if (isObject(value)) return value.kind === 'symbol' || value.kind === 'record' ? nameOf(value) : `a ${value.kind}`
  return typeof value === 'string' ? 'a string' : typeof value === 'boolean' ? 'a bool' : 'a number'
}

const nameOf = (value: PickleSymbol | PickleRecord) => (value.kind === 'symbol' ? value.name : `${value.callee}(…)`)

/** What a reader lets a pickle say. */
export interface PickleDialect {
  /** `module.name` of every global that may be named. */
  readonly symbols: ReadonlySet<string>
  /** Whether objects may be named by a persistent id, as tensors' storages are inside torch files. */
  readonly persistentIds: boolean
  /** What such a file is, for messages: "a SkyRL dump". */
  readonly what: string
}
