/** What may not be concluded, in the study's own words. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import type { Section } from '../section.ts'

export function limitsSection(document: StudyDocument): Section {
  const scope = document.results?.scope ?? ''
  return {
    id: 'limits',
    title: 'What may not be concluded',
    question: 'How far do these results reach?',
    blocks: [
      { kind: 'list', items: document.limits },
      ...(scope === '' ? [] : [{ kind: 'text', tone: 'note', text: `Scope of the evaluation: ${scope}` } as const]),
    ],
    data: { limits: document.limits, scope },
  }
}
