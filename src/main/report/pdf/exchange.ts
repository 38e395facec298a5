/** A prompt with the policies' responses and both judges' words on each. */
import { roleShapes } from '../role-shapes.ts'
import type { Exchange } from '../section.ts'
import { block, colour, type Flow, need, space, styles, writeLines } from './flow.ts'
import { wrap } from './lines.ts'
import type { Paper, TextStyle } from './paper.ts'

const nameWidth = 62
const inset = block.left + nameWidth + 8
const insetWidth = block.width - nameWidth - 8
const heading: TextStyle = { ...styles.head, size: 8.5 }
const prompt: TextStyle = { font: 'italic', size: 8.5, colour: colour('muted') }
const said: TextStyle = { ...styles.body, size: 8.5 }
const judge: TextStyle = { ...styles.note, size: 7.2 }

type Response = Exchange['responses'][number]

export function writeExchange(flow: Flow, exchange: Exchange): void {
  space(flow, 8)
  need(flow, exchangeStart(flow.paper, exchange))
  writeLines(flow, wrap(flow.paper, heading.font, heading.size, exchange.heading, block.width), heading)
  writeLines(flow, wrap(flow.paper, prompt.font, prompt.size, exchange.prompt, block.width), prompt)
  flow.y += 2
  for (const response of exchange.responses) writeResponse(flow, response)
}

/** Heading, prompt (or its beginning) and the first response's first lines. */
export function exchangeStart(paper: Paper, exchange: Exchange): number {
  const lines = wrap(paper, prompt.font, prompt.size, exchange.prompt, block.width).length
  return (Math.min(lines, 6) + 1) * paper.lineHeight(8.5) + 3 * paper.lineHeight(8.5) + 10
}

function writeResponse(flow: Flow, response: Response): void {
  const { paper } = flow
  const empty = response.text === ''
  const style = empty ? { ...said, colour: colour('muted') } : said
  const lines = wrap(paper, style.font, style.size, empty ? '(empty)' : response.text, insetWidth)
  const name = wrap(paper, 'bold', 7.6, response.name, nameWidth)
  const height = lines.length * paper.lineHeight(said.size) + paper.lineHeight(judge.size) + 3
  need(flow, Math.min(height, 8 * paper.lineHeight(said.size)))
  name.forEach((line, index) => {
    paper.line(line, block.left, flow.y + 0.6 + index * paper.lineHeight(7.6), styles.head)
  })
  const nameEnd = flow.y + name.length * paper.lineHeight(7.6)
  writeLines(flow, lines, style, inset)
  writeJudges(flow, response)
  flow.y = Math.max(flow.y, Math.min(nameEnd, block.bottom)) + 3
}

function writeJudges(flow: Flow, response: Response): void {
  const { paper } = flow
  need(flow, paper.lineHeight(judge.size))
  const verdict = `${response.rubric.good ? '✓' : '✗'} ${response.rubric.text}`
  const parts: readonly (readonly [string, string])[] = [
    [`${roleShapes.reward} learned reward ${response.reward.text}`, colour('reward')],
    [`${roleShapes.rubric} rubric ${verdict}`, colour(response.rubric.good ? 'good' : 'bad')],
    [response.finish, judge.colour],
  ]
  let x = inset
  for (const [text, ink] of parts) {
    const [line = ''] = wrap(paper, judge.font, judge.size, text, insetWidth)
    const wide = paper.width(judge.font, judge.size, line)
    if (x > inset && x + wide > block.left + block.width) {
      flow.y += paper.lineHeight(judge.size)
      need(flow, paper.lineHeight(judge.size))
      x = inset
    }
    paper.line(line, x, flow.y, { ...judge, colour: ink })
    x += wide + 14
  }
  flow.y += paper.lineHeight(judge.size)
}
