/** What may not be concluded: the study's own limits, and those that hold for every study of this design. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import type { Section } from '../section.ts'

/** Each with the words that show the study's own list already says it. */
const always: readonly { readonly about: RegExp; readonly sentence: string }[] = [
  {
    about: /synthetic|finite grammar/i,
    sentence:
      'Everything here is synthetic: situations, preferences and rubric come from one finite grammar of six actions. Nothing is said about office support, or help in general.',
  },
  {
    about: /human feedback|no human|human[- ](?:preference|annotat)/i,
    sentence:
      'No person gave feedback. Preferences were constructed by a rule, and no score measures human satisfaction or usefulness.',
  },
  {
    about: /predicted simulated preference|learned (?:score|reward) is/i,
    sentence: 'The learned score is a predicted simulated preference. It can rise while the criterion falls.',
  },
  {
    about: /UNCERTIFIED/,
    sentence:
      'UNCERTIFIED is not wrong: it is prose outside the rubric’s grammar. It counts as no success, and nothing more is known of it.',
  },
  {
    about: /80 (?:probe )?rows|20 (?:unique |distinct )?contexts/i,
    sentence: 'The 80 probe rows are 20 contexts; identical repeated responses are not independent observations.',
  },
  {
    about: /checkpoint|selection|selected/i,
    sentence:
      'No checkpoint was selected and nothing was tuned on held-out rows: final states are the last ones, favourable or not.',
  },
  {
    about: /one seed|single seed|seeds/i,
    sentence:
      'One seed is one draw: intervals cover the sampling of contexts, not the variation between training runs.',
  },
]

export function limitsSection(document: StudyDocument): Section {
  const missing = always.filter((limit) => !document.limits.some((own) => limit.about.test(own)))
  const items = [...document.limits, ...missing.map((limit) => limit.sentence)]
  return {
    id: 'limits',
    title: 'What may not be concluded',
    question: 'How far do these results reach?',
    blocks: [{ kind: 'list', items }],
    data: { limits: items },
  }
}
