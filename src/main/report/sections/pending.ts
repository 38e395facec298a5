/** A section whose stage has not finished keeps its place and says what will stand there. */
import type { Section } from '../section.ts'

export function pending(id: string, title: string, question: string, what: string): Section {
  return {
    id,
    title,
    question,
    blocks: [{ kind: 'text', tone: 'note', text: `Nothing yet: this appears when ${what} has finished.` }],
    data: null,
  }
}
