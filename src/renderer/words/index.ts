/** Numbers and moments in words. */
export { byteText as bytes } from '../../shared/byte-text.ts'
export { count, counted, duration, fixed, setting, signed } from './numbers.ts'
export { ago, moment } from './times.ts'
