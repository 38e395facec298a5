/** Settings as the wizards' editor has them: flat YAML, checked as the command line checks a file. */
import { BadInput } from '../../shared/bad-input.ts'
import type { Answers, RequestParameters } from '../../shared/ipc.ts'
import {
  dpoConfigSchema,
  groupConfigSchema,
  minimumPreset,
  ppoConfigSchema,
  studyConfigSchema,
  trainingConfigSchema,
} from '../../shared/training-config.ts'
import { settingsInText } from './settings-text.ts'
import { dpoConfig, groupConfig, ppoConfig, supervisedConfig } from './study-config.ts'

/** `values` holds the settings that the text gives, and no others. */
export function checkSettings({ stage, yaml }: RequestParameters<'settings.check'>): Answers['settings.check'] {
  try {
    return { values: given(stage, yaml), problem: null, line: null }
  } catch (error) {
    if (!(error instanceof BadInput)) throw error
    const line = /^line (\d+)$/.exec(error.where ?? '')?.[1]
    return { values: null, problem: error.problem, line: line === undefined ? null : Number(line) }
  }
}

function given(stage: RequestParameters<'settings.check'>['stage'], yaml: string): Readonly<Record<string, unknown>> {
  const source = 'settings'
  switch (stage) {
    case 'study':
      return settingsInText(yaml, source, studyConfigSchema, minimumPreset).given
    case 'ppo':
      return settingsInText(yaml, source, ppoConfigSchema, ppoConfig(minimumPreset)).given
    case 'group':
      return settingsInText(yaml, source, groupConfigSchema, groupConfig(minimumPreset)).given
    case 'dpo':
      return settingsInText(yaml, source, dpoConfigSchema, dpoConfig(minimumPreset)).given
    default:
      return settingsInText(yaml, source, trainingConfigSchema, supervisedConfig(minimumPreset, stage)).given
  }
}
