import { expect, it } from 'vitest'
import { defaultDeskRules } from '../../shared/desk-rules.ts'
import { plainRules, rulesFrom, ruleTexts } from './desk/rule-texts.ts'

it('every rule of the desk has its words, and stands in a form once', () => {
  expect(Object.keys(ruleTexts).toSorted()).toEqual(Object.keys(defaultDeskRules).toSorted())
  expect([...plainRules, 'reward_model_weight'].toSorted()).toEqual(Object.keys(defaultDeskRules).toSorted())
})

it('only what differs from the desk’s own rules is said', () => {
  expect(rulesFrom(defaultDeskRules, { horizon: defaultDeskRules.horizon, reward_model_weight: 2 })).toEqual({
    reward_model_weight: 2,
  })
})
