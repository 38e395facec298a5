/** The style sheet of a report's page, and of its preview on paper. */
import { reportResource } from '../resource.ts'

/**
 * For the page itself: the reader's light or dark on a screen, paper in print.
 * @throws where the installation lacks a file
 */
export function reportStyle(): string {
  return `${sheets('figure.css', 'report.css')}\n@media print {\n${sheets('print.css')}\n}`
}

/** Paper on a screen, whatever the reader's colours are: as the page will be printed. */
export function previewStyle(): string {
  return sheets('figure.css', 'report.css', 'print.css', 'preview.css')
}

const sheets = (...names: readonly string[]): string => names.map((name) => reportResource(name).trim()).join('\n')
