/** The command line that does what a wizard's Start button does, to be copied into a shell as it stands. */
import { defaultDeskRules } from '../../shared/desk-rules.ts'
import { runsFromSource } from '../program-layout.ts'
import type { PreparedJob } from './job-request.ts'
import { defaultThreads } from './processor-cores.ts'
import { presets } from './study-config.ts'

const program = runsFromSource ? ['npm', 'run', '--silent', 'recompense', '--'] : ['recompense']

const rulesFile = 'rules.yaml'

/** Settings that no flag takes go to a file first, in the same command. */
export function commandFor(home: string, job: PreparedJob): string {
  const at = ['--home', home]
  switch (job.kind) {
    case 'resume':
      return line('study', 'resume', job.studyId, ...flag('--model', job.request.model), ...at)
    case 'study': {
      const { request, config } = job
      const tail = [
        ...flag('--model', request.model),
        ...flag('--name', request.name),
        ...(request.verifyResume === true ? ['--verify-resume'] : []),
        ...compute(request),
        ...at,
      ]
      const preset = nearestPreset(config)
      if (preset !== null) {
        const seed = presets[preset]?.seed === config.seed ? [] : ['--seed', String(config.seed)]
        return line('study', 'run', '--preset', preset, ...seed, ...tail)
      }
      return withFile('study.yaml', config, line('study', 'run', '--preset', 'study.yaml', ...tail))
    }
    case 'train': {
      const { request, config } = job
      const stage = request.stage === 'turn-ppo' ? 'ppo' : request.stage
      const file = `${stage}.yaml`
      const rules = request.environment?.rules
      const ownRules =
        rules !== undefined &&
        Object.entries(defaultDeskRules).some(([key, value]) => rules[key as keyof typeof rules] !== value)
      const command = line(
        'train',
        stage,
        ...flag('--model', request.model),
        ...flag('--data', request.data),
        ...flag('--validation', request.validation),
        ...flag('--init-adapter', request.initAdapter),
        ...flag('--reward-adapter', request.rewardAdapter),
        ...flag('--environment', request.environment?.name),
        ...(ownRules ? ['--rules', rulesFile] : []),
        '--config',
        file,
        ...flag('--out', request.out),
        ...compute(request),
        ...at,
      )
      const whole = withFile(file, config, command)
      return ownRules ? withFile(rulesFile, { ...rules }, whole) : whole
    }
  }
}

/** The preset that these settings are, but for the seed. */
function nearestPreset(config: Readonly<Record<string, unknown>>): string | null {
  const same = (preset: Readonly<Record<string, unknown>>) =>
    Object.entries(preset).every(([key, value]) => key === 'seed' || config[key] === value)
  return Object.entries(presets).find(([, preset]) => same(preset))?.[0] ?? null
}

const flag = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [name, value])

const compute = ({ device, threads }: { device: string; threads: number }): string[] => [
  ...(device === 'auto' ? [] : ['--device', device]),
  ...(threads === defaultThreads() ? [] : ['--threads', String(threads)]),
]

function withFile(name: string, settings: Readonly<Record<string, unknown>>, command: string): string {
  const yaml = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return [`cat > ${name} <<'SETTINGS'`, ...yaml, 'SETTINGS', command].join('\n')
}

const line = (...words: string[]): string => [...program, ...words.map(quoted)].join(' ')

/** For a POSIX shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
