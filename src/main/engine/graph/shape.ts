/** Shapes of tensors, known and checked while a graph is built. */

export type Shape = readonly number[]

/** A graph that cannot be built: names the node and the shapes that do not fit. A fault of the program, not of input. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError'
}

export function sizeOf(shape: Shape): number {
  return shape.reduce((product, dim) => product * dim, 1)
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dim, axis) => dim === b[axis])
}

/** Numpy broadcasting of two shapes; throws where two dimensions differ and neither is 1. */
export function broadcastShape(a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, axis) => {
    const left = a[axis - rank + a.length] ?? 1
    const right = b[axis - rank + b.length] ?? 1
    if (left !== right && left !== 1 && right !== 1) throw new ShapeError(`cannot broadcast ${show(a)} with ${show(b)}`)
    return left === 1 ? right : left
  })
}

/** Non-negative axes, sorted; throws on an axis outside the rank or named twice. */
export function normalAxes(axes: readonly number[], rank: number): number[] {
  const normal = axes.map((axis) => (axis < 0 ? axis + rank : axis)).sort((a, b) => a - b)
  if (normal.some((axis, i) => axis < 0 || axis >= rank || axis === normal[i - 1]))
    throw new ShapeError(`axes [${axes}] do not fit rank ${rank}`)
  return normal
}

export function show(shape: Shape): string {
  return `[${shape.join(', ')}]`
}
