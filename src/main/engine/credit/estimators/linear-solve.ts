/** Dense linear systems of at most a few thousand unknowns: Gaussian elimination with partial pivoting. */

/** x with `matrix · x = right`. @throws RangeError where the matrix is singular */
export function solveLinear(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length
  const rows = matrix.map((row, i) => [...row, right[i]!])
  for (let column = 0; column < size; column++) {
    let pivot = column
    for (let i = column + 1; i < size; i++) {
      if (Math.abs(rows[i]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = i
    }
    if (rows[pivot]![column] === 0) throw new RangeError('the equations have no single solution')
    ;[rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!]
    const top = rows[column]!
    for (let i = column + 1; i < size; i++) {
      const row = rows[i]!
      const factor = row[column]! / top[column]!
      if (factor === 0) continue
      for (let j = column; j <= size; j++) row[j]! -= factor * top[j]!
    }
  }
  const solution = Array<number>(size).fill(0)
  for (let i = size - 1; i >= 0; i--) {
    const row = rows[i]!
    let rest = row[size]!
    for (let j = i + 1; j < size; j++) rest -= row[j]! * solution[j]!
    solution[i] = rest / row[i]!
  }
  return solution
}
