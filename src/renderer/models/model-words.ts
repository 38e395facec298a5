/** A model in one line. */
import type { ModelListing } from '../../shared/ipc.ts'

export function parameterWords(parameters: number | null): string {
  if (parameters === null) return ''
  if (parameters >= 1e9) return `${(parameters / 1e9).toFixed(1)} B parameters`
  if (parameters >= 1e6) return `${(parameters / 1e6).toFixed(1)} M parameters`
  return `${Math.round(parameters / 1e3)} k parameters`
}

export const modelLine = ({ name, parameters, embedded }: ModelListing): string =>
  [embedded ? 'Embedded model' : name, parameterWords(parameters)].filter(Boolean).join(' · ')
