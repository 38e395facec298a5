import { describe, expect, it } from 'vitest'
import { fixtureDocument } from '../fixture/study-document.ts'
import { reportSections } from '../sections/outline.ts'
import { figuresOf } from '../walk.ts'
import { lightStyle, parseLightStyle } from './light-style.ts'
import { standaloneSvg } from './standalone.ts'

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
