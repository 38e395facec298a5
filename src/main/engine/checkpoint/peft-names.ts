/** Names of the same tensor in PEFT folders and in a learned state. */

const LORA =
  /^(model\.layers\.\d+\.(?:self_attn\.[qkvo]|mlp\.(?:gate|up|down))_proj)\.lora_([AB])(?:\.([^.]+))?\.weight$/
/** With `modules_to_save` PEFT wraps the head; TRL's value head calls its layer `summary`. */
const HEAD = /^(score|v_head)(?:\.modules_to_save)?(?:\.(?!summary\.)[^.]+)?(?:\.summary)?\.(weight|bias)$/

export interface LearnedName {
  readonly name: string
  /** Set for the tensors of a head. */
  readonly head?: 'score' | 'v_head'
}

/** Our name of a PEFT key, with or without `base_model.model.` and `.default`; undefined for anything else. */
export function learnedName(key: string): LearnedName | undefined {
  const bare = key.replace(/^base_model\.model\./, '')
  const lora = LORA.exec(bare)
  if (lora !== null) return { name: `${lora[1]}.lora_${lora[2]}` }
  const head = HEAD.exec(bare)
  if (head === null) return undefined
  return { name: `head.${head[2]}`, head: head[1] === 'score' ? 'score' : 'v_head' }
}

/** PEFT's key of our tensor, as its `save_pretrained` writes it. */
export function peftName(name: string, head: 'none' | 'score' | 'v_head'): string {
  if (name.startsWith('head.')) return `base_model.model.${head}.${name.slice('head.'.length)}`
  return `base_model.model.${name}.weight`
}
