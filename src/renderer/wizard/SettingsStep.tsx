/** The settings in groups, and the same as YAML beside them; what is changed in one shows in the other. */
import { Button, SegmentedControl } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useAnswer } from '../bridge/index.ts'
import { Notice } from '../parts/index.ts'
import { counted } from '../words/index.ts'
import { definitions } from './definitions.ts'
import { type Draft, type StageWizard, settingsOf } from './draft.ts'
import { fieldTexts, type GroupName, groupTitles, type SettingKey } from './fields/field-texts.ts'
import {
  changesFrom,
  defaultSettings,
  inReferenceStudy,
  type PresetName,
  referenceSettings,
  type Settings,
  type SettingsOf,
  settingKeys,
} from './fields/setting-keys.ts'
import { yamlText } from './fields/yaml-text.ts'
import { SettingField } from './SettingField.tsx'
import type { ChangeDraft } from './use-draft.ts'
import classes from './wizard.module.css'
import { YamlSide } from './YamlSide.tsx'

interface Props {
  readonly wizard: StageWizard
  readonly draft: Draft
  readonly change: ChangeDraft
  readonly command: string
}

export function SettingsStep(props: Props) {
  const of = settingsOf(props.wizard, props.draft)
  if (of === null) {
    return (
      <Notice tone="plain" title="The settings are fixed">
        A study goes on with the settings it began with; otherwise its figures would belong to no configuration.
      </Notice>
    )
  }
  return <Editor {...props} of={of} />
}

function Editor({ wizard, draft, change, command, of }: Props & { readonly of: SettingsOf }) {
  const usual = defaultSettings(of, draft.preset)
  const values: Settings = { ...usual, ...draft.changes }
  const [edited, setEdited] = useState<string | null>(null)
  const yaml = edited ?? yamlText(values, settingKeys[of])
  const [asked] = useDebouncedValue(yaml, 200)
  const { value: verdict } = useAnswer('settings.check', { stage: of, yaml: asked })
  const set = (changes: Settings) => change({ changes: changesFrom(usual, { ...values, ...changes }) })
  const problem = asked === yaml ? (verdict?.problem ?? null) : null
  const groups = groupsOf(wizard, of)
  return (
    <div className={classes.settings}>
      <div>
        <div className={classes.options}>
          {of === 'study' && (
            <SegmentedControl
              aria-label="Preset"
              value={draft.preset}
              onChange={(preset) => {
                setEdited(null)
                change({ preset: preset as PresetName, changes: {} })
              }}
              data={[
                { value: 'embedded', label: 'For the embedded model' },
                { value: 'minimum', label: 'Reference study' },
              ]}
            />
          )}
          <Button
            variant="default"
            disabled={Object.keys(draft.changes).length === 0}
            onClick={() => {
              setEdited(null)
              change({ changes: {} })
            }}
          >
            Reset all
          </Button>
        </div>
        {groups.map(({ group, keys, open }) => {
          const changed = keys.filter((key) => values[key] !== usual[key]).length
          return (
            <details key={group} className={classes.group} open={open || changed > 0}>
              <summary>
                {groupTitles[group]}
                <span className={changed > 0 ? classes.changed : undefined}>
                  {changed > 0 ? `${changed} changed` : counted(keys.length, 'setting')}
                </span>
              </summary>
              {keys.map((key) => (
                <SettingField
                  key={key}
                  field={key}
                  value={values[key] ?? ''}
                  usual={usual[key] ?? ''}
                  reference={inReferenceStudy(of, key) ? (referenceSettings(of)[key] ?? '') : null}
                  problem={problem !== null && mentions(problem, verdict?.line ?? null, yaml, key) ? problem : null}
                  onChange={(value) => {
                    setEdited(null)
                    set({ [key]: value })
                  }}
                />
              ))}
            </details>
          )
        })}
      </div>
      <YamlSide
        yaml={yaml}
        verdict={asked === yaml ? verdict : undefined}
        command={command}
        onEdit={setEdited}
        onValues={(given) => {
          change({ changes: changesFrom(usual, { ...usual, ...(given as Settings) }) })
        }}
        editing={edited !== null}
        onDone={() => setEdited(null)}
      />
    </div>
  )
}

/** Whether a problem of the text lies on the line of this setting. */
function mentions(problem: string, line: number | null, yaml: string, key: SettingKey): boolean {
  if (line === null) return new RegExp(`\\b${key}\\b`).test(problem)
  return yaml.split('\n')[line - 1]?.startsWith(`${key}:`) ?? false
}

interface Group {
  readonly group: GroupName
  readonly keys: readonly SettingKey[]
  readonly open: boolean
}

/** The wizard's own groups first and open, the others in their order below. */
export function groupsOf(wizard: StageWizard, of: SettingsOf): readonly Group[] {
  const { first } = definitions[wizard]
  const all = (Object.keys(groupTitles) as GroupName[]).map((group) => ({
    group,
    keys: settingKeys[of].filter((key) => fieldTexts[key].group === group),
    open: first.includes(group),
  }))
  return all.filter(({ keys }) => keys.length > 0).toSorted((a, b) => Number(b.open) - Number(a.open))
}
