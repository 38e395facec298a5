/**
 * The settings that estimators take: names, units, ranges and defaults in one table, from which flags, help and the
 * stated parameters of every result are made. Knows no method: which settings one reads, it says itself.
 */
import { BadInput } from '../../../../shared/bad-input.ts'

export const baselines = ['none', 'rloo', 'grpo-mean', 'grpo', 'greedy'] as const
export type Baseline = (typeof baselines)[number]
export const normalisations = ['mean', 'mean-std'] as const
export type Normalisation = (typeof normalisations)[number]
export const cuts = ['turn', 'segment'] as const
export type Cut = (typeof cuts)[number]

/** Named as in results; a flag is the same name with dashes. Null: not given, see the default. */
export interface Settings {
  readonly baseline: Baseline
  readonly gamma: number
  readonly lambda: number
  readonly std_ddof: number
  readonly epsilon: number
  readonly discount: number | null
  readonly omega: number
  readonly normalize: Normalisation
  readonly omega0: number
  readonly kappa: number
  readonly tau: number
  readonly alpha: number
  readonly bound: number
  readonly gate_min: number | null
  readonly gate_max: number | null
  readonly cut: Cut
}
export type SettingName = keyof Settings
export type GivenSettings = Partial<Settings>

export interface SettingFacts {
  readonly meaning: string
  /** What the number counts, or that it is a pure number. */
  readonly unit: string
  readonly byDefault: string
  readonly choices?: readonly string[]
  /** Null where the number is allowed, else what it must be. */
  readonly refuses?: (value: number) => string | null
}

const share = (value: number) => (value >= 0 && value <= 1 ? null : 'must lie in 0 to 1')
const positive = (value: number) => (value > 0 ? null : 'must be above 0')
const notNegative = (value: number) => (value >= 0 ? null : 'must be 0 or more')

export const settingFacts: { readonly [Name in SettingName]: SettingFacts } = {
  baseline: {
    meaning: 'what is subtracted from the outcome',
    unit: 'a name',
    byDefault: 'none; grpo for opd-rbm',
    choices: baselines,
  },
  gamma: { meaning: 'discount γ a step', unit: '0 to 1', byDefault: '1', refuses: share },
  lambda: { meaning: 'trace decay λ a step', unit: '0 to 1', byDefault: '0.95', refuses: share },
  std_ddof: {
    meaning: 'deviations of a group divide by its size less this (baseline grpo)',
    unit: '0 or 1',
    byDefault: '1',
    refuses: (value) => (value === 0 || value === 1 ? null : 'must be 0 or 1'),
  },
  epsilon: {
    meaning: 'added to the standard deviation of a group (baseline grpo)',
    unit: 'units of reward',
    byDefault: '1e-4',
    refuses: notNegative,
  },
  discount: {
    meaning: 'factor a later optimised token takes off an earlier segment',
    unit: '0 to 1',
    byDefault: 'γλ',
    refuses: share,
  },
  omega: {
    meaning: 'weight of step credit beside episode credit',
    unit: '0 or more',
    byDefault: '1',
    refuses: notNegative,
  },
  normalize: {
    meaning: 'whether deviations from a mean are divided by the standard deviation',
    unit: 'a name',
    byDefault: 'mean',
    choices: normalisations,
  },
  omega0: {
    meaning: 'weight of step credit at a step of average NLL',
    unit: '0 to 1',
    byDefault: '0.5',
    refuses: share,
  },
  kappa: {
    meaning: 'change of that weight for one standard deviation of NLL',
    unit: '0 or more; 0 is a fixed mix',
    byDefault: '0.25',
    refuses: notNegative,
  },
  tau: { meaning: 'temperature of the allocation over tokens', unit: 'nats', byDefault: '1', refuses: positive },
  alpha: { meaning: 'share of distillation in the mix', unit: '0 to 1', byDefault: '0.5', refuses: share },
  bound: {
    meaning: 'distillation advantages are clipped to ± this',
    unit: 'nats',
    byDefault: '1',
    refuses: positive,
  },
  gate_min: {
    meaning: 'gate at concentration 0; makes retention be read as a concentration',
    unit: '0 to 1',
    byDefault: 'retention is the gate; 0.8 where only --gate-max is given',
    refuses: share,
  },
  gate_max: {
    meaning: 'gate at concentration 1; makes retention be read as a concentration',
    unit: '0 to 1',
    byDefault: 'retention is the gate; 1 where only --gate-min is given',
    refuses: share,
  },
  cut: { meaning: 'where rollouts may branch', unit: 'a name', byDefault: 'turn', choices: cuts },
}

export const settingNames = Object.keys(settingFacts) as SettingName[]

/** The other bound where one is given. */
export const defaultGate = { least: 0.8, most: 1 } as const

const defaults: Settings = {
  baseline: 'none',
  gamma: 1,
  lambda: 0.95,
  std_ddof: 1,
  epsilon: 1e-4,
  discount: null,
  omega: 1,
  normalize: 'mean',
  omega0: 0.5,
  kappa: 0.25,
  tau: 1,
  alpha: 0.5,
  bound: 1,
  gate_min: null,
  gate_max: null,
  cut: 'turn',
}

export function flagOf(name: SettingName): string {
  return `--${name.replaceAll('_', '-')}`
}

/** A setting that is out of range: said of its flag, or of its name where there are no flags. */
export class SettingFault extends BadInput {
  /** The same fault by the names that results give to settings. */
  readonly byName: BadInput

  constructor(setting: SettingName, problem: (named: (name: SettingName) => string) => string) {
    super(flagOf(setting), problem(flagOf))
    this.byName = new BadInput(
      setting,
      problem((name) => name),
    )
  }
}

/** Every setting filled in. @throws SettingFault for a value that is out of range */
export function resolveSettings(given: GivenSettings, ofMethod: GivenSettings = {}): Settings {
  const chosen = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
  for (const [name, value] of Object.entries(chosen) as [SettingName, unknown][]) {
    const { choices, refuses } = settingFacts[name]
    if (choices !== undefined) {
      if (!choices.includes(String(value))) {
        throw new SettingFault(name, () => `${said(value)} is not one of ${choices.join(', ')}`)
      }
      continue
    }
    const problem = typeof value === 'number' && Number.isFinite(value) ? refuses?.(value) : 'must be a number'
    if (problem != null) throw new SettingFault(name, () => `${said(value)} is not allowed; ${problem}`)
  }
  const settings: Settings = { ...defaults, ...ofMethod, ...chosen }
  const { gate_min: least, gate_max: most } = settings
  if ((least ?? defaultGate.least) > (most ?? defaultGate.most)) {
    throw new SettingFault('gate_max', (named) => {
      const bound = `${named('gate_min')} ${least ?? defaultGate.least}`
      return `${most ?? defaultGate.most} lies below ${least === null ? `the default ${bound}` : bound}`
    })
  }
  return settings
}

const said = (value: unknown) => (value === '' ? 'an empty value' : String(value))
