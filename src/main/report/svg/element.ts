/**
 * The smallest possible SVG writer: elements as strings, attribute order as given, coordinates rounded to hundredths.
 * Everything that can come from data passes through `escapeMarkup`, so the same input gives the same, inert bytes.
 */

export type Attributes = Readonly<Record<string, string | number | undefined>>

/** Characters that markup would interpret, and those XML forbids outright, made harmless. */
export function escapeMarkup(text: string): string {
  return (
    text
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
      .replace(/'/g, '&#39;')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, '\ufffd')
      .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
  )
}

/** A coordinate with at most two decimals; never "-0", never an exponent. */
export function coordinate(value: number): string {
  const rounded = Math.round(value * 100) / 100
  return String(rounded === 0 ? 0 : rounded)
}

export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter((entry): entry is [string, string | number] => entry[1] !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? coordinate(value) : escapeMarkup(value)}"`)
    .join('')
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`
}

/** A line of text; `anchor` as in SVG. Text from data may be right-to-left, so it is isolated from its surroundings. */
export function textAt(
  x: number,
  y: number,
  content: string,
  options: { readonly anchor?: 'start' | 'middle' | 'end'; readonly className?: string } = {},
): string {
  return element(
    'text',
    { x, y, 'text-anchor': options.anchor === 'start' ? undefined : options.anchor, class: options.className },
    escapeMarkup(content),
  )
}

/** A name from data as it fits a margin: a very long one ends in an ellipsis. */
export function shortened(name: string, characters = 28): string {
  const all = [...name]
  return all.length <= characters ? name : `${all.slice(0, characters - 1).join('')}…`
}

/** Upper estimate of a text's width at `size` pixels, for laying out without measuring: system fonts differ. */
export function textWidth(content: string, size: number): number {
  let units = 0
  for (const character of content) {
    if (/[ilI.,:;'|!()[\] ]/.test(character)) units += 0.36
    else if (/[mwMW@%—]/.test(character)) units += 0.95
    else if (/[A-Z]/.test(character)) units += 0.7
    else units += 0.6
  }
  return units * size
}

/**
 * The outer `<svg>` with its accessible name and description.
 * @param id unique in the page; the title and description get ids derived from it
 */
export function drawing(
  id: string,
  size: { readonly width: number; readonly height: number },
  title: string,
  description: string,
  ...children: readonly string[]
): string {
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'chart',
      viewBox: `0 0 ${coordinate(size.width)} ${coordinate(size.height)}`,
      width: size.width,
      height: size.height,
      role: 'img',
      'aria-labelledby': `${id}-title ${id}-desc`,
    },
    element('title', { id: `${id}-title` }, escapeMarkup(title)),
    element('desc', { id: `${id}-desc` }, escapeMarkup(description)),
    ...children,
  )
}
