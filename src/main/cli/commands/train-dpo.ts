/** `recompense train dpo`: direct preference optimisation of a policy on preference pairs. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { initAdapterFlag, type TrainOptions, train, trainDetails, trainFlags } from '../train-flags.ts'

interface Options extends TrainOptions {
  readonly validation?: string
}

export const trainDpo = define<Options>({
  name: 'dpo',
  summary: 'direct preference optimisation on preference pairs, without a reward model',
  options: trainFlags('{id, prompt, chosen, rejected}', [
    new Option('--validation <file>', 'pairs to measure after each epoch; nothing is chosen by them'),
    initAdapterFlag("the policy's start and the frozen reference (default: the base alone)"),
  ]),
  details: `Loss: −mean log σ(beta·(log-ratio of chosen − log-ratio of rejected)), log-ratios of policy to reference summed over the
response. Settings: beta, and those of train sft. Recorded of a response is its implicit reward, beta times its log-ratio.
${trainDetails}`,
  example:
    'train dpo --model resources/models/embedded --data resources/examples/pairs.jsonl --init-adapter /tmp/sft-adapter --preset embedded --out /tmp/dpo-adapter',
  run: async (context, options) => {
    const { dpoSettings } = await import('../stage-settings.ts')
    const { preset, config: file, seed, validation } = options
    return train(context, options, {
      stage: 'dpo',
      config: dpoSettings({ preset, file, seed }),
      ...(file === undefined ? {} : { configSource: file }),
      ...(validation === undefined ? {} : { validation }),
    })
  },
})
