/** One width for every figure, as journals ask for it; or each as it needs. */
import { NativeSelect } from '@mantine/core'
import type { ReportChoice } from '../../shared/ipc.ts'

const widths = [
  { value: '', label: 'each as it needs' },
  { value: 'single', label: 'single column, 85 mm' },
  { value: 'double', label: 'double column, 175 mm' },
]

interface Props {
  readonly width: ReportChoice['figure_width']
  readonly onChange: (width: ReportChoice['figure_width']) => void
}

export function FigureWidth({ width, onChange }: Props) {
  return (
    <NativeSelect
      label="Figures"
      data={widths}
      value={width ?? ''}
      onChange={({ currentTarget: { value } }) => onChange(value === 'single' || value === 'double' ? value : null)}
    />
  )
}
