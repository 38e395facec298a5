/** A model in one line, and all of them as a table to take away. */
import { type Table, written } from '../../main/report/section.ts'
import type { ModelListing } from '../../shared/ipc.ts'

export function parameterWords(parameters: number | null): string {
  if (parameters === null) return ''
  if (parameters >= 1e9) return `${(parameters / 1e9).toFixed(1)} B parameters`
  if (parameters >= 1e6) return `${(parameters / 1e6).toFixed(1)} M parameters`
  return `${Math.round(parameters / 1e3)} k parameters`
}

export const modelLine = ({ name, parameters, embedded }: ModelListing): string =>
  [embedded ? 'Embedded model' : name, parameterWords(parameters)].filter(Boolean).join(' · ')

export function modelsTable(models: readonly ModelListing[]): Table {
  return {
    caption: 'Models',
    columns: [{ label: 'Model' }, { label: 'Parameters', numeric: true }, { label: 'Usable' }, { label: 'Folder' }],
    rows: models.map((model) => ({
      cells: [
        model.embedded ? 'Embedded model' : model.name,
        written(model.parameters, parameterWords(model.parameters)),
        model.problem ?? 'yes',
        model.folder,
      ],
    })),
  }
}
