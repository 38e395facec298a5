/** Every setting, with those that differ from the reference study's own marked. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { minimumPreset, type StudyConfig } from '../../../shared/training-config.ts'
import type { Section } from '../section.ts'
import { written } from '../section.ts'

export function configurationSection(document: StudyDocument): Section {
  const keys = Object.keys({ ...minimumPreset, ...document.config }) as (keyof StudyConfig)[]
  const differing = keys.filter((key) => key !== 'name' && document.config[key] !== minimumPreset[key])
  return {
    id: 'configuration',
    title: 'Configuration',
    question: 'Which settings were used, and which are not the reference study’s?',
    blocks: [
      {
        kind: 'text',
        text:
          differing.length === 0
            ? 'Every setting is that of the minimum preset.'
            : `${differing.length} of ${keys.length - 1} settings differ from the minimum preset: ${differing.join(', ')}.`,
      },
      {
        kind: 'table',
        table: {
          id: 'table-configuration',
          caption: 'Settings of the study against the minimum preset',
          columns: [
            { label: 'Setting' },
            { label: 'This study', numeric: true },
            { label: 'minimum', numeric: true },
            { label: 'Differs' },
          ],
          rows: keys.map((key) => ({
            marked: differing.includes(key),
            cells: [
              key,
              value(document.config[key]),
              value(minimumPreset[key]),
              differing.includes(key) ? '≠ differs' : '',
            ],
          })),
        },
      },
    ],
    data: {
      config: document.config,
      preset: document.preset,
      differs_from_minimum: differing,
      config_sha256: document.config_sha256,
    },
  }
}

/** Settings are shown as they are typed, not rounded; one that a study need not have is 0 without it. */
function value(setting: string | number = 0) {
  return typeof setting === 'number' ? written(setting, String(setting).replaceAll('-', '−')) : setting
}
