/**
 * Makes a data folder with one whole small study, for work on the window: `node scripts/demo-home.ts DIR`, then
 * `npm run serve -- --home DIR`. The real engine learns on a tiny checkpoint with few iterations (a minute or two);
 * with `--fake` numbers that mean nothing are there within seconds.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ForkStageHost } from '../src/main/jobs/fork-stage-host.ts'
import { stageEntry } from '../src/main/program-layout.ts'
import { runStudy } from '../src/main/workbench/study-run.ts'
import { openWorkbench } from '../src/main/workbench/workbench.ts'
import { embeddedPreset, type StudyConfig } from '../src/shared/training-config.ts'

const [dir, ...flags] = process.argv.slice(2)
if (dir === undefined || dir.startsWith('-')) {
  process.stderr.write('error: usage: node scripts/demo-home.ts DIR [--fake]\n')
  process.exit(2)
}
const home = resolve(dir)
if (existsSync(home) && readdirSync(home).length > 0) {
  process.stderr.write(`error: ${home}: is not empty\n`)
  process.exit(2)
}
const fake = flags.includes('--fake')
const root = resolve(import.meta.dirname, '..')
const config: StudyConfig = {
  ...embeddedPreset,
  name: 'demonstration',
  accumulation_examples: fake ? 8 : 84,
  sft_epochs: 2,
  reward_epochs: 1,
  rollout_iterations: fake ? 100 : 12,
  interrupt_iteration: 4,
  ...(fake ? {} : { audit_every: 6 }),
}
const entry = fake ? join(root, 'src', 'main', 'jobs', 'fake-stage.ts') : stageEntry
const bench = openWorkbench({ home, stageHost: (places) => new ForkStageHost({ entry, places }) })
let shown = ''
const outcome = await runStudy(
  bench,
  { model: join(root, 'test', 'golden', 'checkpoints', 'base_f32'), config, name: 'office-help', threads: 1 },
  {
    onProgress: ({ stage, phase }) => {
      if (shown === `${stage}: ${phase}`) return
      shown = `${stage}: ${phase}`
      process.stderr.write(`${shown}\n`)
    },
  },
)
bench.close()
process.stdout.write(`${outcome.study_id} ${outcome.status} in ${home}\n`)
