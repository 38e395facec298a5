/** Numbers and moments in words. */
export { byteText as bytes } from '../../shared/byte-text.ts'
export { countText as count } from '../../shared/count-text.ts'
export { counted, duration, fixed, setting, signed } from './numbers.ts'
export { ago, moment } from './times.ts'
