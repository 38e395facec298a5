/** Captions as a YAML file gives them: the id of a figure or table, a colon, the text. */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { BadInput } from '../../shared/bad-input.ts'
import { longestCaption } from '../../shared/caption-limit.ts'
import { emptyCaption, unknownCaption } from './presentation.ts'

/**
 * @param source what to call the text in messages
 * @param known ids of the report's figures and tables
 * @throws BadInput naming the line of the first caption that is repeated, empty, no text, too long, or of nothing
 */
export function captionsInText(text: string, source: string, known: ReadonlySet<string>): Record<string, string> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const line = (offset: number) => `line ${lines.linePos(offset).line}`
  const [fault] = document.errors
  if (fault !== undefined) throw new BadInput(source, `is not YAML: ${fault.message}`, line(fault.pos[0]))
  if (document.contents === null) return {}
  if (!isMap(document.contents)) throw new BadInput(source, 'must be "id: caption" lines', 'line 1')
  const captions: Record<string, string> = {}
  for (const { key, value } of document.contents.items) {
    if (!isScalar(key)) throw new BadInput(source, 'must be "id: caption" lines', 'line 1')
    const id = String(key.value)
    const where = line(key.range?.[0] ?? 0)
    if (!known.has(id)) throw new BadInput(source, unknownCaption(id, known), where)
    const caption: unknown = isScalar(value) ? value.value : undefined
    if (caption === null || (typeof caption === 'string' && caption.trim() === ''))
      throw new BadInput(source, emptyCaption(id), where)
    if (typeof caption !== 'string')
      throw new BadInput(source, `the caption of ${id} is not text; put it in quotes`, where)
    if (caption.length > longestCaption)
      throw new BadInput(source, `the caption of ${id} has more than ${longestCaption} characters`, where)
    captions[id] = caption
  }
  return captions
}
