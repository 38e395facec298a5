/** The checkpoint's own chat template (Jinja), rendered as transformers' apply_chat_template does. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Template } from '@huggingface/jinja'
import { BadInput } from '../../../shared/bad-input.ts'
import type { ChatMessage } from '../../../shared/rows.ts'
import { isJsonObject, type JsonObject, readTextFile } from './input-file.ts'

/** A message as templates take it: besides role and content it may carry tool calls and whatever the template reads. */
export type TemplateMessage = ChatMessage | { readonly role: string; readonly [key: string]: unknown }

export interface ChatOptions {
  /** Open the assistant's turn at the end. Default true. */
  readonly addGenerationPrompt?: boolean
  /** JSON schemas of callable functions, in the form the template expects. */
  readonly tools?: readonly object[]
}

export interface ChatTemplate {
  /** @throws BadInput when there is no template, or the template refuses the messages */
  render(messages: readonly TemplateMessage[], options?: ChatOptions): string
}

const TEMPLATE_LIMIT = 1024 * 1024

/**
 * `chat_template.jinja` beside the tokenizer, else `chat_template` in tokenizer_config.json: one text, or a list of
 * named texts of which `tool_use` serves calls with tools and `default` the others.
 * @param variables special tokens by role, as templates name them (`eos_token`, `bos_token`, …)
 */
export function chatTemplate(
  dir: string,
  config: JsonObject,
  variables: Readonly<Record<string, string>>,
): ChatTemplate {
  const compiled = new Map<string, Template>()
  return {
    render(messages, { addGenerationPrompt = true, tools } = {}) {
      const { source, subject } = chooseTemplate(dir, config, tools !== undefined)
      let template = compiled.get(source)
      try {
        if (template === undefined) {
          template = new Template(source)
          compiled.set(source, template)
        }
        return template.render({
          ...variables,
          messages,
          tools: tools ?? null,
          documents: null,
          add_generation_prompt: addGenerationPrompt,
        })
      } catch (error) {
        throw new BadInput(
          subject,
          `the chat template fails: ${error instanceof Error ? error.message : String(error)}`,
        )
      }
    },
  }
}

function chooseTemplate(dir: string, config: JsonObject, withTools: boolean): { source: string; subject: string } {
  const file = join(dir, 'chat_template.jinja')
  if (existsSync(file)) return { source: readTextFile(file, TEMPLATE_LIMIT), subject: file }
  const subject = join(dir, 'tokenizer_config.json')
  const value = config.chat_template
  if (typeof value === 'string') return { source: value, subject }
  if (!Array.isArray(value)) {
    throw new BadInput(
      subject,
      'the checkpoint has no chat_template; add one (chat_template.jinja) or give rows as raw text or token ids',
    )
  }
  const named = new Map<string, string>()
  for (const entry of value as unknown[]) {
    if (isJsonObject(entry) && typeof entry.name === 'string' && typeof entry.template === 'string') {
      named.set(entry.name, entry.template)
    }
  }
  const source = (withTools ? named.get('tool_use') : undefined) ?? named.get('default')
  if (source === undefined) throw new BadInput(subject, 'the list of chat templates has none named "default"')
  return { source, subject }
}
