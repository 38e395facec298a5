/**
 * The figures' style sheet in its light theme, resolved to plain attributes. Drawing programs, typesetters and the PDF
 * writer know neither custom properties nor media queries; reading the one style sheet keeps every format alike.
 */
import { figureFontFamily } from '../fonts.ts'
import { reportResource } from '../resource.ts'

interface Rule {
  readonly tag: string | null
  readonly classes: readonly string[]
  readonly without: readonly string[]
  readonly weight: number
  readonly declarations: readonly (readonly [string, string])[]
}

export interface LightStyle {
  /** Presentation attributes of an element, by its name and classes. */
  readonly attributes: (tag: string, classes: readonly string[]) => ReadonlyMap<string, string>
  /** A custom property of the page: `ink`, `reward`. */
  readonly colour: (name: string) => string
}

/** What says nothing to a drawing on its own. */
const onlyOnPages = new Set(['display', 'width', 'height', 'font-variant-numeric', 'unicode-bidi', 'color-scheme'])

let loaded: LightStyle | null = null

/** The product's own figure style. */
export function lightStyle(): LightStyle {
  loaded ??= parseLightStyle(reportResource('figure.css'))
  return loaded
}

/** @throws for a selector beyond elements and classes below `.chart`, so that no style is lost unseen */
export function parseLightStyle(css: string): LightStyle {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '')
  const page = new Map<string, string>()
  const rules: Rule[] = []
  for (const [, selectors = '', body = ''] of plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const declarations = body
      .split(';')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()] as const)
    for (const selector of selectors.split(',').map((one) => one.trim())) {
      if (selector === ':root') for (const [name, value] of declarations) page.set(name, value)
      else rules.push(parseRule(selector, declarations))
    }
  }
  rules.sort((one, other) => one.weight - other.weight)
  return {
    attributes: (tag, classes) => resolve(rules, page, tag, classes),
    colour: (name) => page.get(`--${name}`) ?? fault(`the figure style has no --${name}`),
  }
}

function parseRule(selector: string, declarations: Rule['declarations']): Rule {
  const compound = selector.replace(/^\.chart\s+/, '')
  const parts = /^([a-z]+)?((?:\.[\w-]+)*)((?::not\(\.[\w-]+\))*)$/.exec(compound)
  if (parts === null) fault(`the figure style's selector "${selector}" cannot be resolved for files`)
  const names = (text: string | undefined) => [...(text ?? '').matchAll(/\.([\w-]+)/g)].map((match) => match[1]!)
  const classes = names(parts[2])
  const without = names(parts[3])
  const ancestors = compound === selector ? 0 : 1
  return {
    tag: parts[1] ?? null,
    classes,
    without,
    weight: 10 * (ancestors + classes.length + without.length) + (parts[1] === undefined ? 0 : 1),
    declarations,
  }
}

function resolve(
  rules: readonly Rule[],
  page: ReadonlyMap<string, string>,
  tag: string,
  classes: readonly string[],
): ReadonlyMap<string, string> {
  const declared = new Map<string, string>()
  for (const rule of rules) {
    const matches =
      (rule.tag === null || rule.tag === tag) &&
      rule.classes.every((name) => classes.includes(name)) &&
      !rule.without.some((name) => classes.includes(name))
    if (matches) for (const [name, value] of rule.declarations) declared.set(name, value)
  }
  const value = (text: string): string =>
    text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => {
      const found = declared.get(name) ?? page.get(name)
      return found === undefined ? fault(`the figure style uses ${name} where it is not set`) : value(found)
    })
  const attributes = new Map<string, string>()
  for (const [name, text] of declared) {
    if (name.startsWith('--') || onlyOnPages.has(name)) continue
    if (name === 'font') {
      attributes.set('font-family', figureFontFamily)
      attributes.set('font-size', /(\d+)px/.exec(text)?.[1] ?? fault('the figure style names no font size'))
    } else attributes.set(name, value(text))
  }
  return attributes
}

function fault(message: string): never {
  throw new Error(message)
}
