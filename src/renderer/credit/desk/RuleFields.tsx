/** The desk's rules as fields, each with its unit, its default and what it does. */
import { NumberInput } from '@mantine/core'
import { type DeskRules, defaultDeskRules, longestHorizon } from '../../../shared/desk-rules.ts'
import { setting } from '../../words/index.ts'
import { type Rule, ruleTexts } from './rule-texts.ts'

interface Props {
  readonly rules: readonly Rule[]
  readonly values: Readonly<Partial<DeskRules>>
  readonly onChange: (changes: Partial<DeskRules>) => void
}

const whole: ReadonlySet<Rule> = new Set(['horizon', 'max_turn_tokens', 'max_context_tokens'])
const signed: ReadonlySet<Rule> = new Set(['reward_model_weight', 'rubric_weight', 'truncation_penalty'])
const most: Readonly<Partial<Record<Rule, number>>> = { horizon: longestHorizon, failure_rate: 1 }

export function RuleFields({ rules, values, onChange }: Props) {
  return rules.map((name) => {
    const text = ruleTexts[name]
    return (
      <NumberInput
        key={name}
        label={text.name}
        description={`${text.sentence} Default ${setting(defaultDeskRules[name])}; ${text.unit}`}
        value={values[name] ?? defaultDeskRules[name]}
        allowDecimal={!whole.has(name)}
        allowNegative={signed.has(name)}
        step={whole.has(name) ? 1 : 0.05}
        {...(signed.has(name) ? {} : { min: whole.has(name) ? 1 : 0 })}
        {...(most[name] === undefined ? {} : { max: most[name] })}
        onChange={(value) => {
          const number = typeof value === 'number' ? value : Number.parseFloat(value)
          onChange({ [name]: Number.isFinite(number) ? number : defaultDeskRules[name] })
        }}
      />
    )
  })
}
