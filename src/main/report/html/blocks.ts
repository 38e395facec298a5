/** Section blocks as HTML. All text passes through `textOf`; nothing from data is ever interpreted as markup. */
import type { Block, Exchange, Figure } from '../section.ts'
import { chartWidths, drawChart } from '../svg/draw-chart.ts'
import { element } from '../svg/element.ts'
import { cellOf, reportTable } from './table.ts'
import { textOf } from './text.ts'

export function blockOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return element('p', { class: block.tone }, textOf(block.text))
    case 'subheading':
      return element('h3', {}, textOf(block.text))
    case 'list':
      return element('ul', {}, ...block.items.map((item) => element('li', {}, textOf(item))))
    case 'table':
      return reportTable(block.table)
    case 'tables':
      return element('div', { class: 'side-by-side' }, ...block.tables.map(reportTable))
    case 'figures':
      return element(
        'div',
        { class: `figures ${block.width}${block.fixed === true ? ' fixed' : ''}` },
        ...block.figures.map((figure) => figureOf(figure, chartWidths[block.width])),
      )
    case 'details':
      return element('details', {}, element('summary', {}, textOf(block.summary)), ...block.blocks.map(blockOf))
    case 'exchanges':
      return element('div', { class: 'exchanges' }, ...block.exchanges.map(exchangeOf))
    case 'highlights':
      return element(
        'dl',
        { class: 'highlights' },
        ...block.items.map((item) =>
          element(
            'div',
            { class: item.role === undefined ? undefined : `role-${item.role}` },
            element('dt', {}, textOf(item.label)),
            element('dd', { class: 'figure' }, textOf(item.figure)),
            element('dd', { class: 'note' }, textOf(item.note)),
          ),
        ),
      )
  }
}

function figureOf(figure: Figure, width: number): string {
  const drawn = drawChart(figure.chart, { id: figure.id, title: figure.title, description: figure.caption }, width)
  const source = element(
    'span',
    { class: 'source' },
    'Data in report.json: ',
    element('code', {}, textOf(`sections.${figure.dataKey}`)),
  )
  return element(
    'figure',
    { id: figure.id },
    element('h3', { class: 'title' }, textOf(figure.title)),
    element('div', { class: 'scroll', role: 'region', 'aria-label': figure.title, tabindex: '0' }, drawn),
    element('figcaption', {}, textOf(figure.caption), ' ', source),
    figure.data === undefined
      ? ''
      : element('details', {}, element('summary', {}, 'Numbers'), reportTable(figure.data)),
  )
}

function exchangeOf(exchange: Exchange): string {
  return element(
    'article',
    { class: 'exchange' },
    element('h3', { class: 'title' }, textOf(exchange.heading)),
    element('p', { class: 'prompt', dir: 'auto' }, textOf(exchange.prompt)),
    ...exchange.responses.map((response) =>
      element(
        'div',
        { class: 'response' },
        element('span', { class: 'who' }, textOf(response.name)),
        element(
          'div',
          {},
          response.text === ''
            ? element('p', { class: 'said empty' }, '(empty)')
            : element('p', { class: 'said', dir: 'auto' }, textOf(response.text)),
          element(
            'p',
            { class: 'judged' },
            element(
              'span',
              { class: 'judge role-reward' },
              element('span', { class: 'shape', 'aria-hidden': 'true' }, '●'),
              ' learned reward ',
              cellOf(response.reward),
            ),
            element(
              'span',
              { class: 'judge role-rubric' },
              element('span', { class: 'shape', 'aria-hidden': 'true' }, '■'),
              ' rubric ',
              cellOf(response.rubric),
            ),
            element('span', {}, textOf(response.finish)),
          ),
        ),
      ),
    ),
  )
}
