/** Refuses a pickle whose objects contain themselves or nest without end; everything after may then walk freely. */
import { isObject, type PickleObject, type PickleValue } from './pickle-values.ts'

/** Far above any dump: batch, state, field, tensor, shape. */
export const deepest = 32

/** What is wrong with the objects below `top`, or undefined. Each object is visited once, without recursion. */
export function graphFault(top: PickleValue): string | undefined {
  if (!isObject(top)) return undefined
  const height = new Map<PickleObject, number>()
  const open = new Set<PickleObject>()
  const path: { object: PickleObject; children: Iterator<PickleObject>; height: number }[] = []
  const enter = (object: PickleObject) => {
    open.add(object)
    path.push({ object, children: childrenOf(object), height: 1 })
  }
  enter(top)
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    const next = at.children.next()
    if (next.done === true) {
      open.delete(at.object)
      height.set(at.object, at.height)
      path.pop()
      const above = path.at(-1)
      if (above !== undefined) above.height = Math.max(above.height, at.height + 1)
      continue
    }
    const known = height.get(next.value)
    if (open.has(next.value)) return 'holds an object that contains itself, which no dump does'
    if (known === undefined) enter(next.value)
    else at.height = Math.max(at.height, known + 1)
    if (path.length > deepest || at.height > deepest) return `nests deeper than ${deepest} levels, which no dump does`
  }
  return undefined
}

function* childrenOf(object: PickleObject): Generator<PickleObject> {
  for (const value of valuesIn(object)) if (isObject(value)) yield value
}

function* valuesIn(object: PickleObject): Generator<PickleValue> {
  switch (object.kind) {
    case 'list':
    case 'tuple':
      yield* object.items
      break
    case 'record':
      yield* object.args
      yield* flat(object.entries)
      if (object.state !== undefined) yield object.state
      break
    case 'dict':
      yield* flat(object.entries)
      break
    case 'persistent':
      yield object.id
      break
    default:
      break
  }
}

function* flat(entries: ReadonlyMap<PickleValue, PickleValue>): Generator<PickleValue> {
  for (const [key, value] of entries) {
    yield key
    yield value
  }
}
