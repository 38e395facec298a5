/** Long lists: filters, keys, and rows drawn only where they are seen. */
export { Filters, useFilter } from './Filters.tsx'
export { filterRows, valuesOf } from './filter-rows.ts'
export { type Column, RowTable } from './RowTable.tsx'
