/**
 * The report as one HTML page that asks nobody for anything: no script, no external style, font or image. Its content
 * security policy allows exactly the style sheet it carries, by hash. The same document gives the same bytes.
 */
import { createHash } from 'node:crypto'
import type { StudyDocument } from '../../../shared/study-document.ts'
import { utc } from '../number-text.ts'
import { reportTitle } from '../report-title.ts'
import type { Section } from '../section.ts'
import { element, escapeMarkup } from '../svg/element.ts'
import { blockOf } from './blocks.ts'
import { textOf } from './text.ts'

/** Marks a page as a report, so that a newer report may take its place and nothing else is overwritten. */
export const reportMark = 'name="recompense-study"'

/** @param scheme what the page's own canvas and controls follow: the reader's colours, or paper's */
export function reportPage(
  document: StudyDocument,
  sections: readonly Section[],
  style: string,
  scheme: 'light dark' | 'light' = 'light dark',
): string {
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  const title = reportTitle(document)
  const contents = sections.map((section, index) =>
    element('li', {}, element('a', { href: `#${section.id}` }, `${index + 1}. ${textOf(section.title)}`)),
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="${escapeMarkup(policy).replaceAll('&#39;', "'")}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="${scheme}"/>
<meta name="referrer" content="no-referrer"/>
<meta ${reportMark} content="${escapeMarkup(document.study_id)}"/>
<title>${escapeMarkup(title)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#${sections[0]?.id ?? ''}">To the findings</a>
<header>
<p class="product">Recompense · study report</p>
<h1>${textOf(document.name)} <span class="seed">seed ${document.seed}</span></h1>
<p class="identity">${textOf(document.study_id)} · ${textOf(document.status)} · ${textOf(utc(document.finished_at ?? document.created_at))}</p>
</header>
<div class="layout">
<nav aria-label="Contents"><ol>${contents.join('')}</ol></nav>
<main>
${sections.map(sectionOf).join('\n')}
</main>
</div>
</body>
</html>
`
}

function sectionOf(section: Section, index: number): string {
  return element(
    'section',
    { id: section.id, 'aria-labelledby': `${section.id}-heading` },
    element(
      'h2',
      { id: `${section.id}-heading` },
      element('span', { class: 'ordinal' }, String(index + 1)),
      ` ${textOf(section.title)}`,
    ),
    element('p', { class: 'question' }, textOf(section.question)),
    ...section.blocks.map(blockOf),
  )
}
