/** The same menu in the corner of every chart and table: everything shown can be taken away. */
import { ActionIcon, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { go } from '../routes/index.ts'
import type { Exportable } from './export/exportable.ts'
import { save } from './export/save.ts'
import { csv, latex, tabbed } from './export/text-forms.ts'

interface CornerMenuProps {
  readonly exportable: Exportable
  /** Whether the numbers behind a chart are shown; absent for a table, whose numbers are. */
  readonly table?: boolean
  readonly onTable?: (shown: boolean) => void
}

export function CornerMenu({ exportable, table, onTable }: CornerMenuProps) {
  const clipboard = useClipboard()
  const { name, title, report } = exportable
  const place = report?.at === undefined ? null : { study: report.study, at: report.at }
  const tell = (work: () => Promise<void> | void) => async () => {
    try {
      await work()
    } catch (error) {
      notifications.show({ color: 'red', title, message: error instanceof Error ? error.message : String(error) })
    }
  }
  return (
    <Menu position="bottom-end" withinPortal shadow="md" width={210}>
      <Menu.Target>
        <ActionIcon size="sm" aria-label={`Take away: ${title}`}>
          <span aria-hidden="true">⋯</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onTable !== undefined && (
          <Menu.Item onClick={() => onTable(table !== true)}>
            {table === true ? 'Hide the numbers' : 'Show the numbers'}
          </Menu.Item>
        )}
        <Menu.Item
          onClick={tell(() => {
            clipboard.copy(tabbed(exportable.records()))
            notifications.show({ title, message: 'Copied, with tabs between columns.' })
          })}
        >
          Copy data
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={tell(() => save(`${name}.csv`, 'text/csv;charset=utf-8', csv(exportable.records())))}>
          CSV
        </Menu.Item>
        <Menu.Item
          onClick={tell(async () => {
            const { drawingOf, svgFile } = await import('./export/svg-file.ts')
            save(`${name}.svg`, 'image/svg+xml', svgFile(drawingOf(exportable)))
          })}
        >
          SVG
        </Menu.Item>
        <Menu.Item
          onClick={tell(async () => {
            const [{ drawingOf }, { pdfFile }] = await Promise.all([
              import('./export/svg-file.ts'),
              import('./export/pdf-file.ts'),
            ])
            save(`${name}.pdf`, 'application/pdf', await pdfFile(drawingOf(exportable), exportable))
          })}
        >
          PDF
        </Menu.Item>
        <Menu.Item onClick={tell(() => save(`${name}.tex`, 'application/x-tex', latex(exportable.table(), name)))}>
          LaTeX table
        </Menu.Item>
        <Menu.Divider />
        {place === null ? (
          <Menu.Item disabled rightSection={<span className="menu-note">in no report</span>}>
            Open in report
          </Menu.Item>
        ) : (
          <Menu.Item onClick={() => go({ screen: 'reports', ...place })}>Open in report</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
