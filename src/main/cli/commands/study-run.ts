/** `recompense study run`: the whole study, continuing an interrupted one of the same settings. */
import { Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import { define } from '../command.ts'
import { type ComputeOptions, computeFlags, wholeNumber } from '../flags.ts'
import { embeddedModel } from '../resources.ts'
import { studyOutcome } from '../study-outcome.ts'
import { followed, withWorkbench } from '../study-session.ts'
import { requireCreatable } from '../user-path.ts'

interface Options extends ComputeOptions {
  readonly preset: string
  readonly model?: string
  readonly out?: string
  readonly name?: string
  readonly seed?: number
  readonly verifyResume?: boolean
  readonly fresh?: boolean
}

export const studyRun = define<Options>({
  name: 'run',
  summary: 'run the whole study, from corpus to report',
  options: [
    new Option('--preset <name>', 'settings: embedded, minimum, or a YAML file').default('embedded'),
    new Option('--model <dir>', 'base checkpoint (default: the embedded model)'),
    new Option('--out <dir>', "also write the report there, besides the study's own folder"),
    new Option('--name <text>', "what to call the study (default: the preset's name)"),
    new Option('--seed <n>', "seed of everything drawn (default: the preset's, 49)").argParser(wholeNumber),
    new Option('--verify-resume', 'prove for each learning stage that an interrupted run equals a continuous one'),
    new Option('--fresh', 'begin anew even where the same study stands interrupted'),
    ...computeFlags(),
  ],
  details: `Stages: corpus, sft, reward, ppo, evaluation, probes, report. An interrupted study with the same settings, model,
device and threads is continued. A YAML file holds any of the study's settings, one "key: value" a line, over those of
the minimum preset. Ctrl-C stops at the next update; the exit status is then 130.
Result: study_id, status, stages[{name, status, seconds, updates}], results, final_learned_sha256, report_files.`,
  example: 'study run --preset embedded --json',
  run: async (context, options) => {
    if (options.name?.trim() === '')
      throw new BadInput('--name', 'is empty; give the study a name or leave the flag out')
    const choice = await settings(options)
    const model = options.model ?? modelFor(options.preset)
    if (options.out !== undefined) requireCreatable(options.out)
    return withWorkbench(context, async (bench) => {
      const { runStudy } = await import('../../workbench/study-run.ts')
      const { name, out, seed, verifyResume, fresh, device, threads } = options
      const request = {
        ...choice,
        model,
        device,
        threads,
        ...(name === undefined ? {} : { name }),
        ...(out === undefined ? {} : { out }),
        ...(seed === undefined ? {} : { seed }),
        ...(verifyResume === undefined ? {} : { verifyResume }),
        ...(fresh === undefined ? {} : { fresh }),
      }
      return studyOutcome(context, await followed(context, (study) => runStudy(bench, request, study)))
    })
  },
})

async function settings({ preset }: Options): Promise<{ preset: string } | { config: object; configSource: string }> {
  if (preset === 'embedded' || preset === 'minimum') return { preset }
  if (!/\.ya?ml$/i.test(preset)) {
    throw new BadInput('--preset', `${preset} is neither embedded, minimum nor a .yaml file`)
  }
  const { studySettings } = await import('../stage-settings.ts')
  return { config: studySettings(preset), configSource: preset }
}

function modelFor(preset: string): string {
  if (preset === 'minimum') {
    throw new BadInput('--model', 'the minimum preset is meant for a Qwen2.5-0.5B-Instruct folder; name it')
  }
  return embeddedModel()
}
