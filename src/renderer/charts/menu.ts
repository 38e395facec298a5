/** The corner menu for tables, without the charts: screens that draw none load none. */
export { CornerMenu } from './CornerMenu.tsx'
export { type Exportable, exportableTable } from './export/exportable.ts'
export { TableHead } from './TableHead.tsx'
