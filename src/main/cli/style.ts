/** Colour for people: only on a terminal, and never where NO_COLOR asks for none (no-color.org). */
import { styleText } from 'node:util'

type Look = Parameters<typeof styleText>[0]

export interface Style {
  readonly strong: (text: string) => string
  readonly quiet: (text: string) => string
  readonly good: (text: string) => string
  readonly warn: (text: string) => string
  readonly bad: (text: string) => string
}

export function styleFor(stream: { readonly isTTY?: boolean | undefined }, environment = process.env): Style {
  const colour = stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb'
  const look = (format: Look) => (text: string) => (colour ? styleText(format, text, { validateStream: false }) : text)
  return { strong: look('bold'), quiet: look('dim'), good: look('green'), warn: look('yellow'), bad: look('red') }
}
