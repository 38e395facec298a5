/** A drawing as a PDF of exactly its size, with its fonts embedded. Loaded only when asked for. */

import bodyFont from 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf?url'
import boldFont from 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf?url'
import PDFDocument from 'pdfkit'
import svgToPdf from 'svg-to-pdfkit'
import type { Drawing } from './svg-file.ts'

export async function pdfFile(
  drawing: Drawing,
  told: { readonly title: string; readonly caption: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const [body, bold] = await Promise.all([bodyFont, boldFont].map(read))
  const wide = (drawing.millimetres * 72) / 25.4
  const tall = (wide / drawing.width) * drawing.height
  const doc = new PDFDocument({
    size: [wide, tall],
    margin: 0,
    pdfVersion: '1.7',
    font: '',
    info: { Title: told.title, Subject: told.caption, Author: 'Recompense', Creator: 'Recompense' },
  })
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const ended = new Promise<void>((resolve, reject) => {
    doc.on('data', (chunk: Uint8Array<ArrayBuffer>) => chunks.push(chunk))
    doc.on('end', resolve)
    doc.on('error', reject)
  })
  doc.registerFont('body', body!)
  doc.registerFont('bold', bold!)
  svgToPdf(doc as unknown as typeof PDFDocument, drawing.markup, 0, 0, {
    width: wide,
    height: tall,
    assumePt: true,
    preserveAspectRatio: 'xMinYMin meet',
    fontCallback: (_family: string, heavy: boolean) => (heavy ? 'bold' : 'body'),
  })
  doc.end()
  await ended
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

async function read(url: string): Promise<ArrayBuffer> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error('the font of printed figures is missing')
  return answer.arrayBuffer()
}
