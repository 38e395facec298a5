/** Supervised fine-tuning: the policy PPO starts from and is held to. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import type { Section } from '../section.ts'
import { learningBlocks } from './learning-figures.ts'
import { pending } from './pending.ts'

export function sftSection(document: StudyDocument): Section {
  const title = 'Supervised fine-tuning'
  const question = 'Did the starting policy learn the demonstrations?'
  const { sft, sft_validation } = document.curves
  if (sft.length === 0) return pending('sft', title, question, 'supervised fine-tuning')
  return {
    id: 'sft',
    title,
    question,
    blocks: [
      ...learningBlocks({
        section: 'sft',
        name: 'SFT',
        role: 'policy',
        lossName: 'Token-mean negative log-likelihood',
        updates: sft,
        validation: sft_validation,
      }),
      {
        kind: 'text',
        tone: 'note',
        text: 'The loss covers response tokens, EOS included; prompt and padding are masked by position. One update divides by all its active tokens, so that long and short demonstrations weigh by their length.',
      },
    ],
    data: { updates: sft, validation: sft_validation },
  }
}
