/** What tells the wizards apart: their question, which settings come first, and what the stage needs and makes. */

import type { StageWizard } from './draft.ts'
import type { GroupName } from './fields/field-texts.ts'

export interface Need {
  readonly what: string
  /** Where a study takes it from. */
  readonly inStudy: string
}

export interface Definition {
  readonly title: string
  readonly question: string
  /** Groups open from the start; the others stand below, closed. */
  readonly first: readonly GroupName[]
  readonly needs: readonly Need[]
  readonly makes: string
}

const base: Need = { what: 'A base model', inStudy: 'chosen below; it stays frozen' }

export const definitions: Readonly<Record<StageWizard, Definition>> = {
  data: {
    title: 'New study',
    question: 'From which data, with which model, and what will happen when it starts?',
    first: ['study', 'lengths'],
    needs: [base, { what: 'The office-help corpus', inStudy: 'generated from the seed, hashed file by file' }],
    makes: 'Pairs, demonstrations, prompts and probes; then every stage from SFT to the report.',
  },
  sft: {
    title: 'SFT',
    question: 'What will happen when learning from demonstrations starts?',
    first: ['sft', 'training'],
    needs: [base, { what: 'Demonstrations', inStudy: '168 of the corpus, one a family of the training split' }],
    makes: 'An adapter that answers like the demonstrations. PPO starts from it and is measured against it.',
  },
  reward: {
    title: 'Reward model',
    question: 'What will happen when learning from preference pairs starts?',
    first: ['reward', 'training'],
    needs: [base, { what: 'Preference pairs', inStudy: '840 training pairs of the corpus; 180 for validation' }],
    makes: 'An adapter with a score head: the predicted simulated preference that PPO optimises.',
  },
  ppo: {
    title: 'PPO',
    question: 'What will happen when the policy is optimised against the learned reward?',
    first: ['rollouts', 'updates', 'advantages'],
    needs: [
      base,
      { what: 'The SFT adapter', inStudy: 'made by the study’s SFT stage' },
      { what: 'The reward model', inStudy: 'made by the study’s reward stage, frozen' },
      { what: 'Prompts', inStudy: '672 of the corpus, without targets' },
    ],
    makes: 'A policy with a higher learned reward. Whether it also answers better, the held-out evaluation says.',
  },
  group: {
    title: 'GRPO and its kin',
    question: 'What will happen when groups of rollouts are compared, and how is credit given to their tokens?',
    first: ['rollouts', 'updates', 'training', 'credit'],
    needs: [],
    makes: 'A policy with a higher reward, learned without a critic. Every rollout is recorded with the credit it got.',
  },
  dpo: {
    title: 'DPO',
    question: 'What will happen when the policy learns from pairs directly, without a reward model?',
    first: ['training', 'credit'],
    needs: [],
    makes: 'A policy that prefers the chosen responses more than its reference does.',
  },
  probes: {
    title: 'Probes',
    question: 'Does politeness buy reward, and what will happen to find out?',
    first: ['study'],
    needs: [
      { what: 'A reward model', inStudy: 'made by the study’s reward stage; the probes cannot change it' },
      { what: 'Probe rows', inStudy: '80 of the corpus: 20 contexts, right or wrong, plain or polite' },
    ],
    makes:
      'Scores of 80 fixed candidates. They come last in a study, after the evaluation, and change nothing before them.',
  },
}
