import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { dpoConfig, groupConfig } from '../../../main/workbench/study-config.ts'
import { embeddedPreset, minimumPreset } from '../../../shared/training-config.ts'
import { fieldTexts, groupTitles } from './field-texts.ts'
import {
  changesFrom,
  defaultSettings,
  inReferenceStudy,
  referenceSettings,
  type SettingsOf,
  settingKeys,
} from './setting-keys.ts'
import { yamlText } from './yaml-text.ts'

const all: readonly SettingsOf[] = ['study', 'sft', 'reward', 'ppo', 'group', 'dpo']

describe('texts of the settings', () => {
  it.each(all)('are complete for %s', (of) => {
    for (const key of settingKeys[of]) {
      const text = fieldTexts[key]
      expect(text, key).toBeDefined()
      expect(text.name.length, key).toBeGreaterThan(2)
      expect(text.sentence, key).toMatch(/^[A-Z].*\.$/)
      expect(text.sentence.slice(0, -1), `${key} says one sentence`).not.toMatch(/\. /)
    }
  })

  it('describe nothing that does not exist', () => {
    const known = new Set(all.flatMap((of) => settingKeys[of]))
    expect(Object.keys(fieldTexts).filter((key) => !known.has(key as keyof typeof fieldTexts))).toEqual([])
    const used = new Set(Object.values(fieldTexts).map(({ group }) => group))
    expect([...used].toSorted()).toEqual(Object.keys(groupTitles).toSorted())
  })
})

describe('defaults', () => {
  it.each(all)('and reference values exist for every setting of %s', (of) => {
    for (const key of settingKeys[of]) {
      expect(defaultSettings(of, 'embedded')[key], key).toBeDefined()
      expect(referenceSettings(of)[key], key).toBeDefined()
    }
  })

  it('are those of the workbench', () => {
    const unsaid = { audit_every: 0 }
    expect(defaultSettings('study', 'embedded')).toEqual({ ...unsaid, ...embeddedPreset })
    expect(referenceSettings('study')).toEqual({ ...unsaid, ...minimumPreset })
    expect(referenceSettings('sft').learning_rate).toBe(minimumPreset.sft_learning_rate)
    expect(referenceSettings('reward').epochs).toBe(minimumPreset.reward_epochs)
    expect(referenceSettings('group')).toEqual({ ...unsaid, ...groupConfig(minimumPreset) })
    expect(referenceSettings('dpo')).toEqual(dpoConfig(minimumPreset))
    expect(inReferenceStudy('group', 'group_size')).toBe(false)
    expect(inReferenceStudy('group', 'kl_coefficient')).toBe(true)
  })

  it('leave only what was changed', () => {
    const defaults = defaultSettings('study', 'minimum')
    expect(changesFrom(defaults, { ...defaults, seed: 50 })).toEqual({ seed: 50 })
    expect(changesFrom(defaults, defaults)).toEqual({})
  })
})

describe('YAML', () => {
  it.each(all)('of %s is read back as it was', (of) => {
    const settings = { ...defaultSettings(of, 'embedded') }
    expect(parse(yamlText(settings, settingKeys[of]))).toEqual(settings)
    expect(parse(yamlText(settings, settingKeys[of]), { version: '1.1' })).toEqual(settings)
  })

  it.each(['true', 'No', '12', 'a: b', '# x', '', ' x', "it's", '- a'])('keeps the name %j', (name) => {
    expect(parse(yamlText({ name }, ['name']))).toEqual({ name })
  })
})
