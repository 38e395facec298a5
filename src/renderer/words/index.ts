/** Numbers and moments in words. */
export { bytes, count, counted, duration, fixed, setting, signed } from './numbers.ts'
export { ago, moment } from './times.ts'
