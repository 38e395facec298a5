/** `recompense train reward`: a reward model (LoRA and scalar head) from preference pairs. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { initAdapterFlag, type TrainOptions, train, trainDetails, trainFlags } from '../train-flags.ts'

interface Options extends TrainOptions {
  readonly validation?: string
}

export const trainReward = define<Options>({
  name: 'reward',
  summary: 'a reward model from preference pairs (Bradley-Terry)',
  options: trainFlags('{id, prompt, chosen, rejected}', [
    new Option('--validation <file>', 'pairs to measure after each epoch; nothing is chosen by them'),
    initAdapterFlag('PEFT adapter to start from (default: fresh LoRA and head, drawn from the seed)'),
  ]),
  details: `Settings: as train sft. The loss is the mean of -log sigmoid(chosen - rejected) over the pairs of an update. The head
is saved in the adapter.
${trainDetails}`,
  example:
    'train reward --model resources/models/embedded --data resources/examples/pairs.jsonl --out /tmp/reward-adapter',
  run: async (context, options) => {
    const { supervisedSettings } = await import('../stage-settings.ts')
    const { preset, config: file, seed, validation } = options
    return train(context, options, {
      stage: 'reward',
      config: supervisedSettings('reward', { preset, file, seed }),
      ...(file === undefined ? {} : { configSource: file }),
      ...(validation === undefined ? {} : { validation }),
    })
  },
})
