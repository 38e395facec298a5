/** The plotting area: horizontal grid, axes, tick labels and axis names, with margins that fit the labels. */

import { tickLabel } from '../number-text.ts'
import { element, textAt, textWidth } from './element.ts'
import { smallTextSize } from './marks.ts'
import { linearScale, type Scale } from './scale.ts'

export interface FrameRequest {
  readonly width: number
  readonly height: number
  /** Space already used at the top (legend). */
  readonly top: number
  readonly xDomain: readonly [number, number]
  readonly yDomain: readonly [number, number]
  readonly xLabel: string
  readonly yLabel: string
  readonly xWhole?: boolean
  readonly xWiden?: boolean
  /** Both axes with one domain and one length: a unit is the same distance either way. */
  readonly square?: boolean
}

export interface Frame {
  readonly x: Scale
  readonly y: Scale
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly markup: string
}

const axisNameHeight = 26
const tickRoom = 22
const xNameRoom = 18

export function frame(request: FrameRequest): Frame {
  const top = request.top + axisNameHeight
  const bottom = request.height - tickRoom - xNameRoom
  const yCount = Math.max(2, Math.floor((bottom - top) / 32))
  const y = linearScale(request.yDomain, [bottom, top], { count: yCount })
  const yNames = y.ticks.map((tick) => tickLabel(tick, y.step))
  const left = Math.ceil(Math.max(...yNames.map((name) => textWidth(name, smallTextSize)))) + 12
  const available = request.width - 14
  const right = request.square === true ? Math.min(available, left + (bottom - top)) : available
  const xCount = Math.max(2, Math.floor((right - left) / 64))
  const x = linearScale(request.xDomain, [left, right], {
    count: request.square === true ? yCount : xCount,
    whole: request.xWhole ?? false,
    widen: request.xWiden ?? true,
  })

  const grid = y.ticks.map((tick, index) => {
    const at = y.at(tick)
    return (
      element('line', { class: tick === 0 ? 'zero' : 'grid', x1: left, y1: at, x2: right, y2: at }) +
      textAt(left - 7, at + 4, yNames[index] ?? '', { anchor: 'end', className: 'tick' })
    )
  })
  const marks = x.ticks.map((tick) => {
    const at = x.at(tick)
    const name = tickLabel(tick, x.step)
    // A label at the very edge is pushed inwards, so that the picture never cuts it.
    const half = textWidth(name, smallTextSize) / 2
    const centre = Math.min(at, request.width - half - 1)
    return (
      element('line', { class: 'axis', x1: at, y1: bottom, x2: at, y2: bottom + 4 }) +
      textAt(centre, bottom + 17, name, { anchor: 'middle', className: 'tick' })
    )
  })
  const names =
    textAt(0, request.top + 12, request.yLabel, { className: 'axis-name' }) +
    textAt((left + right) / 2, request.height - 4, request.xLabel, { anchor: 'middle', className: 'axis-name' })
  return {
    x,
    y,
    left,
    right,
    top,
    bottom,
    markup:
      element('g', { class: 'axes' }, ...grid, ...marks) +
      element('line', { class: 'axis', x1: left, y1: bottom, x2: right, y2: bottom }) +
      names,
  }
}
