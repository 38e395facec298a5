/** The style sheet of a report's page. */
import { reportResource } from '../resource.ts'

/** @throws where the installation lacks the file */
export function reportStyle(): string {
  return ['figure.css', 'report.css'].map(reportResource).join('\n').trim()
}
