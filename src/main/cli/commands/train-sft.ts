/** `recompense train sft`: supervised fine-tuning of a LoRA policy on demonstrations. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { initAdapterFlag, type TrainOptions, train, trainDetails, trainFlags } from '../train-flags.ts'

interface Options extends TrainOptions {
  readonly validation?: string
}

export const trainSft = define<Options>({
  name: 'sft',
  summary: 'supervised fine-tuning on demonstrations',
  options: trainFlags('{id, prompt, completion}, or trajectories {id, turns}', [
    new Option('--validation <file>', 'rows to measure after each epoch; nothing is chosen by them'),
    initAdapterFlag('PEFT adapter to start from (default: fresh LoRA, drawn from the seed)'),
  ]),
  details: `Settings: learning_rate, accumulation_examples, epochs, warmup_ratio, minimum_lr_ratio, weight_decay, gradient_clip,
seed, lora_rank, lora_alpha, max_prompt_tokens, max_new_tokens, max_context_tokens. The loss is the mean negative
log-likelihood (nats) of the response tokens of an update. A row with turns is a whole conversation, standing once: assistant
tokens are learned, the rest is read. Turns of text are rendered with the checkpoint's chat template; max_new_tokens then
limits each assistant turn.
${trainDetails}`,
  example:
    'train sft --model resources/models/embedded --data resources/examples/demonstrations.jsonl --out /tmp/sft-adapter',
  run: async (context, options) => {
    const { supervisedSettings } = await import('../stage-settings.ts')
    const { preset, config: file, seed, validation } = options
    return train(context, options, {
      stage: 'sft',
      config: supervisedSettings('sft', { preset, file, seed }),
      ...(file === undefined ? {} : { configSource: file }),
      ...(validation === undefined ? {} : { validation }),
    })
  },
})
