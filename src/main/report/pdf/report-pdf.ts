/** The report as a paper's supplement: A4, vector figures, embedded fonts, contents, outline, numbered pages. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { utc } from '../number-text.ts'
import { reportTitle } from '../report-title.ts'
import type { Section } from '../section.ts'
import { blocksStart, writeBlocks } from './blocks.ts'
import { codePointName } from './characters.ts'
import { a4, block, colour, type Flow, need, newFlow, nextPage, space, styles, writeLines } from './flow.ts'
import { wrap } from './lines.ts'
import { openPaper, type Paper, type TextStyle } from './paper.ts'

interface Entry {
  readonly title: string
  readonly anchor: string
  /** Zero-based. */
  readonly page: number
}

const title: TextStyle = { font: 'bold', size: 22, colour: colour('ink') }
const entryStyle: TextStyle = { font: 'body', size: 9.5, colour: colour('ink') }
const headStyle: TextStyle = { font: 'body', size: 7.4, colour: colour('muted') }
const entryHeight = 15.5
/** More code points than this are counted, not named. */
const named = 60

export async function reportPdf(document: StudyDocument, sections: readonly Section[]): Promise<Uint8Array> {
  const paper = openPaper(
    {
      title: reportTitle(document),
      subject: `Study report of ${document.study_id}`,
      date: document.finished_at ?? document.created_at,
    },
    a4,
  )
  const flow = newFlow(paper)
  const contentsAt = writeFront(flow, document, sections.length)
  const entries = sections.map((section, index) => writeSection(flow, section, index + 1))
  writeCharacterNote(flow)
  writeContents(paper, entries, contentsAt)
  writeHeads(paper, document)
  return paper.bytes()
}

/** @returns where the contents go; room for them is kept, on the first page unless the name is very long */
function writeFront(
  flow: Flow,
  document: StudyDocument,
  entries: number,
): { readonly page: number; readonly top: number } {
  const { paper } = flow
  const write = (text: string, style: TextStyle) => {
    writeLines(flow, wrap(paper, style.font, style.size, text, block.width), style)
  }
  write('Recompense · study report', styles.note)
  flow.y += 4
  write(document.name, title)
  write(`seed ${document.seed} · preset ${document.preset}`, styles.lead)
  flow.y += 3
  write(`${document.study_id} · ${document.status} · ${utc(document.finished_at ?? document.created_at)}`, styles.note)
  space(flow, 22)
  need(flow, entries * entryHeight + 30)
  write('Contents', styles.subheading)
  const top = flow.y + 4
  flow.y = top + entries * entryHeight
  return { page: paper.doc.bufferedPageRange().count - 1, top }
}

function writeSection(flow: Flow, section: Section, number: number): Entry {
  const { paper } = flow
  // The findings open a page; everything else follows where it fits.
  if (number === 1) nextPage(flow)
  space(flow, 26)
  const heading = `${number}  ${section.title}`
  const lines = wrap(paper, styles.section.font, styles.section.size, heading, block.width)
  const question = wrap(paper, styles.question.font, styles.question.size, section.question, block.width)
  need(flow, lines.length * 19 + question.length * 13 + 14 + blocksStart(paper, section.blocks))
  const { doc } = paper
  doc.addNamedDestination(section.id, 'XYZ', block.left, flow.y - 6, null)
  doc.outline.addItem(paper.shown('body', heading))
  doc
    .moveTo(block.left, flow.y)
    .lineTo(block.left + block.width, flow.y)
    .lineWidth(1.2)
    .strokeColor(colour('ink'))
    .stroke()
  flow.y += 6
  const page = doc.bufferedPageRange().count - 1
  writeLines(flow, lines, styles.section)
  writeLines(flow, question, styles.question)
  flow.y += 2
  writeBlocks(flow, section.blocks)
  return { title: heading, anchor: section.id, page }
}

/** Says which characters of the data stand here as code points, where any do. */
function writeCharacterNote(flow: Flow): void {
  const { paper } = flow
  if (paper.missing.size === 0) return
  const codes = [...paper.missing].sort((one, other) => one - other).map((code) => `U+${codePointName(code)}`)
  const list =
    codes.length <= named ? codes.join(', ') : `${codes.slice(0, named).join(', ')} and ${codes.length - named} more`
  const text = `Note on characters. ${codes.length === 1 ? 'One character' : `${codes.length} characters`} of the data cannot be shown in this file’s font or direction and stand as code points in ⟨ ⟩: ${list}. The HTML and JSON reports have them as they are.`
  space(flow, 14)
  writeLines(flow, wrap(paper, styles.note.font, styles.note.size, text, block.width), styles.note)
}

function writeContents(paper: Paper, entries: readonly Entry[], { page, top }: ReturnType<typeof writeFront>): void {
  const { doc } = paper
  doc.switchToPage(page)
  const right = block.left + block.width
  entries.forEach((entry, index) => {
    const y = top + index * entryHeight
    const number = String(entry.page + 1)
    const text = paper.shown('body', entry.title)
    const from = block.left + paper.width('body', entryStyle.size, text) + 6
    const to = right - paper.width('body', entryStyle.size, number) - 6
    paper.line(text, block.left, y, entryStyle)
    paper.line(number, right - paper.width('body', entryStyle.size, number), y, entryStyle)
    doc
      .moveTo(from, y + 9)
      .lineTo(to, y + 9)
      .lineWidth(0.5)
      .dash(0.5, { space: 3 })
      .strokeColor(colour('muted'))
      .stroke()
      .undash()
    doc.goTo(block.left, y - 1, block.width, entryHeight, entry.anchor)
  })
}

/** Page numbers on every page; the running head from the second on. */
function writeHeads(paper: Paper, document: StudyDocument): void {
  const { doc } = paper
  const { count } = doc.bufferedPageRange()
  const right = block.left + block.width
  for (let page = 0; page < count; page++) {
    doc.switchToPage(page)
    const number = `${page + 1} / ${count}`
    paper.line(number, right - paper.width('body', headStyle.size, number), a4[1] - 38, headStyle)
    if (page === 0) continue
    const id = paper.shown('body', document.study_id)
    const [name = ''] = wrap(paper, 'body', headStyle.size, `${document.name}, seed ${document.seed}`, block.width / 2)
    paper.line(name, block.left, 32, headStyle)
    paper.line(id, right - paper.width('body', headStyle.size, id), 32, headStyle)
    doc.moveTo(block.left, 46).lineTo(right, 46).lineWidth(0.4).strokeColor(colour('line')).stroke()
  }
}
