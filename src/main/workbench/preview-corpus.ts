/** The corpus a study would learn from, made in memory: its audit and its rows as they will be read. */
import type { CorpusPreview } from '../../shared/ipc.ts'
import { auditCorpus } from '../engine/study/audit.ts'
import { generateCorpus, isPairLabel } from '../engine/study/corpus.ts'

export function previewCorpus(seed: number): CorpusPreview {
  const corpus = generateCorpus(seed)
  const { pages, labels, warm, warm_labels, rollouts } = corpus
  const prompts = new Map([...pages, ...warm].map((page) => [page.document_id, page]))
  const promptOf = (id: string) => prompts.get(id)?.prompt ?? ''
  return {
    audit: { ...auditCorpus(corpus) },
    pairs: labels.filter(isPairLabel).map(({ document_id: id, chosen, rejected }) => ({
      id,
      split: prompts.get(id)?.split ?? '',
      prompt: promptOf(id),
      chosen,
      rejected,
    })),
    demonstrations: warm_labels.map(({ document_id: id, response }) => ({
      id,
      prompt: promptOf(id),
      completion: response,
    })),
    prompts: rollouts.map(({ document_id: id, prompt }) => ({ id, prompt })),
    probes: labels.flatMap((label) =>
      isPairLabel(label)
        ? []
        : [{ id: label.document_id, prompt: promptOf(label.document_id), candidate: label.candidate_response }],
    ),
  }
}
