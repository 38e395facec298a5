/** `recompense export trl` and `export verl`: a study or a run as scripts, rows and adapters for another training engine. */
import { Argument, Option } from 'commander'
import type { Engine } from '../../exporters/training-plan.ts'
import { define } from '../command.ts'
import { plural } from '../figures.ts'
import { plainText } from '../plain-text.ts'
import { withWorkbench } from '../study-session.ts'
import { requireNewFolder, writingTo } from '../user-path.ts'

interface Options {
  readonly out: string
  readonly model?: string
}

const runs: Readonly<Record<Engine, string>> = {
  trl: 'study.py trains SFT, reward model, DPO and reinforcement learning with TRL, on one device or many (accelerate).',
  verl: 'prepare.py makes what verl reads, run.py starts SFT and PPO or GRPO on its cluster; verl trains no reward model.',
}

export const exportEngine = (engine: Engine) =>
  define<Options>({
    name: engine,
    summary: `a study or a learning run as scripts, rows and adapters for ${engine === 'trl' ? 'TRL' : 'verl'}`,
    arguments: [new Argument('<id>', 'the study or run, as study list and study show name it')],
    options: [
      new Option('--out <dir>', 'new or empty folder to write to').makeOptionMandatory(),
      new Option('--model <dir>', 'base checkpoint, where the one that was used lies elsewhere now'),
    ],
    details: `Writes settings.yaml, data/ (the same rows and splits, with their token ids), adapters/ (PEFT), the scripts, and a
README.md that says which setting has which name there, and what has no equivalent. ${runs[engine]}
The base checkpoint is named, not copied; with a local one nothing is fetched from a network.
Result: engine, id, out, files[].`,
    example: `export ${engine} "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)" --out /tmp/${engine}-study`,
    run: (context, { out, model }, [id = '']) => {
      requireNewFolder(out)
      return withWorkbench(context, async (bench) => {
        const { exportForEngine } = await import('../../workbench/export-for-engine.ts')
        const written = await writingTo(out, () =>
          exportForEngine(bench, { engine, id, out, ...(model === undefined ? {} : { model }) }),
        )
        return {
          json: written,
          text: () =>
            `${written.files.map(plainText).join('\n')}\n${plural(written.files.length, 'file')} in ${plainText(written.out)}`,
        }
      })
    },
  })
