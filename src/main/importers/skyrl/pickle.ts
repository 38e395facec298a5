/**
 * Reads a pickle without running it: a short list of instructions, names out of a fixed list that load nothing, calls
 * that are written down and never made. Memory and time are bounded by the number of instructions and the length of
 * texts; byte strings stay in the file.
 */
import type { BadInput } from '../../../shared/bad-input.ts'
import type { ByteSource } from '../bytes.ts'
import { ByteCursor } from './byte-cursor.ts'
import { graphFault } from './pickle-graph.ts'
import { asKind, kindOf, type PickleDialect, type PickleRecord, type PickleValue } from './pickle-values.ts'

/** A dump takes some thousands; no instruction makes more than one value, so this bounds values, memo and time alike. */
const limits = {
  instructions: 2_000_000,
  marks: 64,
  string: 1 << 20,
  strings: 64 << 20,
  /** Bytes of one whole number. */
  integer: 16,
} as const

/** The value that the pickle in `source` ends with. Throws `BadInput` naming what is refused, and at which byte. */
export function readPickle(source: ByteSource, dialect: PickleDialect): PickleValue {
  return new PickleMachine(source, dialect).run()
}

class PickleMachine {
  readonly #source: ByteSource
  readonly #dialect: PickleDialect
  readonly #cursor: ByteCursor
  readonly #memo = new Map<number, PickleValue>()
  #stack: PickleValue[] = []
  readonly #below: PickleValue[][] = []
  #stringBytes = 0
  /** Where the instruction at hand begins. */
  #at = 0

  constructor(source: ByteSource, dialect: PickleDialect) {
    this.#source = source
    this.#dialect = dialect
    this.#cursor = new ByteCursor(source)
  }

  run(): PickleValue {
    for (let count = 0; ; count++) {
      this.#at = this.#cursor.offset
      if (count === limits.instructions) throw this.#fault(`has more than ${limits.instructions} instructions`)
      if (this.#cursor.left === 0) throw this.#fault('is cut short: the pickle has no end')
      const code = this.#cursor.u8()
      if (code === 0x2e) return this.#end()
      if (!this.#constant(code) && !this.#container(code) && !this.#object(code)) {
        throw this.#fault(
          `is not ${this.#dialect.what}: the pickle instruction 0x${code.toString(16).padStart(2, '0')} is not among those that one needs`,
        )
      }
    }
  }

  #fault(problem: string): BadInput {
    return this.#source.fault(problem, this.#at)
  }

  #end(): PickleValue {
    const value = this.#pop()
    if (this.#below.length > 0 || this.#stack.length > 0)
      throw this.#fault('is damaged: values are left over at its end')
    const problem = graphFault(value)
    if (problem !== undefined) throw this.#fault(problem)
    return value
  }

  /** Frames, memo, and values without parts. */
  #constant(code: number): boolean {
    const cursor = this.#cursor
    switch (code) {
      case 0x80: // PROTO
        return this.#protocol(cursor.u8())
      case 0x95: // FRAME: only a hint for readers of streams
        this.#requireLeft(cursor.u64())
        return true
      case 0x94: // MEMOIZE
        return this.#remember(this.#memo.size)
      case 0x71: // BINPUT
        return this.#remember(cursor.u8())
      case 0x72: // LONG_BINPUT
        return this.#remember(cursor.u32())
      case 0x68: // BINGET
        return this.#push(this.#recall(cursor.u8()))
      case 0x6a: // LONG_BINGET
        return this.#push(this.#recall(cursor.u32()))
      case 0x4e: // NONE
        return this.#push(null)
      case 0x88: // NEWTRUE
        return this.#push(true)
      case 0x89: // NEWFALSE
        return this.#push(false)
      case 0x4a: // BININT
        return this.#push(cursor.i32())
      case 0x4b: // BININT1
        return this.#push(cursor.u8())
      case 0x4d: // BININT2
        return this.#push(cursor.u16())
      case 0x8a: // LONG1
        return this.#push(this.#integer(cursor.u8()))
      case 0x47: // BINFLOAT, the one big-endian number
        return this.#push(cursor.f64BigEndian())
      case 0x8c: // SHORT_BINUNICODE
        return this.#push(this.#text(cursor.u8()))
      case 0x58: // BINUNICODE
        return this.#push(this.#text(cursor.u32()))
      case 0x43: // SHORT_BINBYTES
        return this.#bytes(cursor.u8())
      case 0x42: // BINBYTES
        return this.#bytes(cursor.u32())
      case 0x8e: // BINBYTES8
        return this.#bytes(cursor.u64())
      default:
        return false
    }
  }

  #container(code: number): boolean {
    switch (code) {
      case 0x28: // MARK
        if (this.#below.length === limits.marks)
          throw this.#fault(`nests deeper than ${limits.marks} levels, which no dump does`)
        this.#below.push(this.#stack)
        this.#stack = []
        return true
      case 0x7d: // EMPTY_DICT
        return this.#push({ kind: 'dict', entries: new Map() })
      case 0x5d: // EMPTY_LIST
        return this.#push({ kind: 'list', items: [] })
      case 0x29: // EMPTY_TUPLE
        return this.#push({ kind: 'tuple', items: [] })
      case 0x74: // TUPLE
        return this.#push({ kind: 'tuple', items: this.#sinceMark() })
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: // TUPLE3
        return this.#push({ kind: 'tuple', items: this.#popMany(code - 0x84) })
      case 0x61: // APPEND
        return this.#append(this.#popMany(1))
      case 0x65: // APPENDS
        return this.#append(this.#sinceMark())
      case 0x73: // SETITEM
        return this.#set(this.#popMany(2))
      case 0x75: // SETITEMS
        return this.#set(this.#sinceMark())
      default:
        return false
    }
  }

  #object(code: number): boolean {
    switch (code) {
      case 0x63: // GLOBAL
        return this.#symbol(this.#cursor.line(), this.#cursor.line())
      case 0x93: {
        // STACK_GLOBAL
        const [module, name] = this.#popMany(2)
        if (typeof module !== 'string' || typeof name !== 'string')
          throw this.#fault('is damaged: a name is not a string')
        return this.#symbol(module, name)
      }
      case 0x52: // REDUCE
      case 0x81: {
        // NEWOBJ
        const [callee, args] = this.#popMany(2)
        return this.#call(callee, args)
      }
      case 0x62: {
        // BUILD
        const state = this.#pop()
        const record = asKind('record', this.#stack.at(-1))
        if (record === undefined) throw this.#fault(`is damaged: a state is set on ${kindOf(this.#stack.at(-1))}`)
        record.state = state
        return true
      }
      case 0x51: // BINPERSID
        if (!this.#dialect.persistentIds) return false
        return this.#push({ kind: 'persistent', id: this.#pop() })
      default:
        return false
    }
  }

  #protocol(version: number): true {
    if (version < 2 || version > 5) throw this.#fault(`has pickle protocol ${version}; protocols 2 to 5 are read`)
    return true
  }

  #requireLeft(bytes: number): void {
    if (bytes > this.#cursor.left)
      throw this.#fault(`is cut short: ${bytes} bytes are announced, ${this.#cursor.left} are left`)
  }

  #text(bytes: number): string {
    this.#requireLeft(bytes)
    this.#stringBytes += bytes
    if (bytes > limits.string || this.#stringBytes > limits.strings)
      throw this.#fault(`holds more text than any dump: a string of ${bytes} bytes`)
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.#cursor.take(bytes))
    } catch {
      throw this.#fault('is damaged: a string is not UTF-8')
    }
  }

  #bytes(length: number): true {
    this.#requireLeft(length)
    const { offset } = this.#cursor
    this.#cursor.skip(length)
    return this.#push({ kind: 'bytes', offset, length })
  }

  #integer(bytes: number): number | bigint {
    if (bytes > limits.integer) throw this.#fault(`holds a whole number of ${bytes} bytes`)
    this.#requireLeft(bytes)
    return this.#cursor.integer(bytes)
  }

  #remember(index: number): true {
    const value = this.#stack.at(-1)
    if (value === undefined) throw this.#fault('is damaged: nothing to remember')
    this.#memo.set(index, value)
    return true
  }

  #recall(index: number): PickleValue {
    const value = this.#memo.get(index)
    if (value === undefined) throw this.#fault(`is damaged: it refers to value ${index}, which it does not hold`)
    return value
  }

  #symbol(module: string, attribute: string): true {
    const name = `${module}.${attribute}`
    if (!this.#dialect.symbols.has(name))
      throw this.#fault(
        `is not ${this.#dialect.what}: it names ${JSON.stringify(name.slice(0, 200))}, which was not loaded`,
      )
    return this.#push({ kind: 'symbol', name })
  }

  #call(callee: PickleValue | undefined, args: PickleValue | undefined): true {
    const symbol = asKind('symbol', callee)
    const tuple = asKind('tuple', args)
    if (symbol === undefined || tuple === undefined)
      throw this.#fault(`is damaged: it would call ${kindOf(callee)} on ${kindOf(args)}`)
    const record: PickleRecord = {
      kind: 'record',
      callee: symbol.name,
      args: tuple.items,
      entries: new Map(),
      state: undefined,
    }
    return this.#push(record)
  }

  #append(items: readonly PickleValue[]): true {
    const list = asKind('list', this.#stack.at(-1))
    if (list === undefined) throw this.#fault(`is damaged: it appends to ${kindOf(this.#stack.at(-1))}`)
    for (const item of items) list.items.push(item)
    return true
  }

  #set(items: readonly PickleValue[]): true {
    const target = asKind('dict', this.#stack.at(-1)) ?? asKind('record', this.#stack.at(-1))
    if (target === undefined || items.length % 2 !== 0)
      throw this.#fault(`is damaged: it sets entries of ${kindOf(this.#stack.at(-1))}`)
    for (let k = 0; k < items.length; k += 2) target.entries.set(items[k]!, items[k + 1]!)
    return true
  }

  #sinceMark(): PickleValue[] {
    const items = this.#stack
    const below = this.#below.pop()
    if (below === undefined) throw this.#fault('is damaged: it closes what it did not open')
    this.#stack = below
    return items
  }

  #push(value: PickleValue): true {
    this.#stack.push(value)
    return true
  }

  #pop(): PickleValue {
    return this.#popMany(1)[0]!
  }

  #popMany(count: number): PickleValue[] {
    if (this.#stack.length < count) throw this.#fault('is damaged: a value is missing')
    return this.#stack.splice(-count)
  }
}
