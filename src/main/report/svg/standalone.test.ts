import { describe, expect, it } from 'vitest'
import { fixtureDocument } from '../fixture/study-document.ts'
import { reportSections } from '../sections/outline.ts'
import { figuresOf, itemsOf } from '../walk.ts'
import { escapeMarkup } from './element.ts'
import { lightStyle, parseLightStyle } from './light-style.ts'
import { standaloneSvg, standaloneTable } from './standalone.ts'
import { mostDrawnRows } from './table.ts'

describe('a figure as a file', () => {
  const items = figuresOf(reportSections(fixtureDocument()))

  it('carries its styles in attributes that any program reads', () => {
    for (const { figure, width } of items) {
      const svg = standaloneSvg(figure, width)
      expect(svg).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
      expect(svg).not.toMatch(/ class="|var\(|<style|<image|href/)
      expect(svg).toMatch(/ width="(85|175)mm" height="[\d.]+mm"/)
      expect(svg).toContain('font-family=')
      expect(standaloneSvg(figure, width)).toBe(svg)
    }
  })
})

describe('a table as a file', () => {
  const document = fixtureDocument()
  const tables = itemsOf(reportSections(document)).flatMap((item) => (item.kind === 'table' ? [item.table] : []))

  it('is drawn whole, no wider than two columns, with its text inside', () => {
    expect(tables.length).toBeGreaterThan(20)
    for (const table of tables) {
      const svg = standaloneTable(table)
      expect(svg).not.toMatch(/ class="|var\(|<style|<image|href/)
      const size = / viewBox="0 0 ([\d.]+) ([\d.]+)" width="([\d.]+)mm"/.exec(svg)!
      const [wide, tall, millimetres] = size.slice(1).map(Number)
      expect(millimetres).toBeGreaterThan(10)
      expect(millimetres).toBeLessThanOrEqual(175)
      for (const [, x, y] of svg.matchAll(/<text x="([\d.-]+)" y="([\d.-]+)"/g)) {
        expect(Number(x)).toBeGreaterThanOrEqual(0)
        expect(Number(x)).toBeLessThanOrEqual(wide!)
        expect(Number(y)).toBeLessThanOrEqual(tall!)
      }
      // Every word of every cell is in it, in order, whatever lines they stand on.
      const said = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1]).join('')
      const last = table.rows.slice(0, mostDrawnRows).at(-1)?.cells.at(-1)
      const words = last === undefined ? '' : typeof last === 'string' ? last : last.text
      expect(said.replaceAll(' ', '')).toContain(escapeMarkup(words.replaceAll(' ', '')))
    }
  })

  it('says how many rows it leaves out', () => {
    const rows = Array.from({ length: mostDrawnRows + 3 }, (_, at) => ({ cells: [`row ${at}`] }))
    const svg = standaloneTable({ id: 'table-long', caption: 'Long', columns: [{ label: 'Row' }], rows })
    expect(svg).toContain(`>row ${mostDrawnRows - 1}<`)
    expect(svg).not.toContain(`>row ${mostDrawnRows}<`)
    expect(svg).toContain('3 more rows are in the data')
  })

  it('keeps markup of the data inert', () => {
    const svg = standaloneTable({
      id: 'table-evil',
      caption: '</svg><script>',
      columns: [{ label: '"><b>' }],
      rows: [{ cells: ['<i>&</i>'] }],
    })
    expect(svg).not.toMatch(/<(script|b|i)>/)
    expect(svg).toContain('&lt;i&gt;&amp;&lt;/i&gt;')
  })
})

describe('the light style', () => {
  it('resolves colours by role, the more particular rule last', () => {
    const { attributes, colour } = lightStyle()
    expect(attributes('path', ['curve', 'role-reward']).get('stroke')).toBe(colour('reward'))
    expect(attributes('path', ['curve', 'role-reference']).get('stroke-dasharray')).toBe('7 3')
    expect(attributes('path', ['curve', 'dense', 'role-reference']).has('stroke-dasharray')).toBe(false)
    expect(attributes('circle', ['mark', 'role-reward', 'hollow']).get('fill')).toBe(colour('paper'))
    expect(attributes('line', ['grid']).get('fill')).toBe('none')
    expect(colour('paper')).toBe('#ffffff')
  })

  it('refuses what it cannot resolve', () => {
    expect(() => parseLightStyle('.chart .a > .b { fill: red }')).toThrow('.chart .a > .b')
    expect(() => parseLightStyle('.chart .a { fill: var(--none) }').attributes('g', ['a'])).toThrow('--none')
  })
})
