/** Files of the `resources/report` folder, as text. */
import { readFileSync } from 'node:fs'
import { programResource } from '../program-resource.ts'

/** @throws where the installation lacks the file */
export const reportResource = (name: string): string => readFileSync(programResource('report', name), 'utf8')
