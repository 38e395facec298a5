/** The places of the navigation with their names, keys and questions: one list for the sidebar, the keys and the palette. */
import { type CreditTab, plainCredit, type Route } from '../routes/index.ts'

export interface Place {
  readonly name: string
  /** What the screen answers. */
  readonly question: string
  /** Second key after `g`. */
  readonly key: string
  readonly to: (study: string | null) => Route | null
  readonly group: 'all' | 'study' | 'machine'
}

export const places: readonly Place[] = [
  {
    name: 'Studies',
    question: 'Which studies are there, and how far are they?',
    key: 's',
    to: () => ({ screen: 'studies' }),
    group: 'all',
  },
  {
    name: 'Runs',
    question: 'Which runs are there, of every study and of rows of one’s own?',
    key: 'r',
    to: () => ({ screen: 'runs' }),
    group: 'all',
  },
  {
    name: 'Credit',
    question: 'Who got the credit, and does it add up?',
    key: 'c',
    to: () => plainCredit,
    group: 'all',
  },
  {
    name: 'Compare',
    question: 'What changed between runs, and did it matter?',
    key: 'v',
    to: () => ({ screen: 'compare', runs: [] }),
    group: 'all',
  },
  {
    name: 'Data',
    question: 'What is learned from, and are my own rows in order?',
    key: 'd',
    to: () => ({ screen: 'data' }),
    group: 'all',
  },
  {
    name: 'Overview',
    question: 'Where is this study, and what did it show?',
    key: 'o',
    to: (study) => (study === null ? null : { screen: 'study', study }),
    group: 'study',
  },
  {
    name: 'Samples',
    question: 'What does the model actually say?',
    key: 'a',
    to: (study) => ({ screen: 'samples', study }),
    group: 'study',
  },
  {
    name: 'Probes',
    question: 'Does politeness buy reward?',
    key: 'p',
    to: (study) => ({ screen: 'probes', study }),
    group: 'study',
  },
  {
    name: 'Report',
    question: 'What can go into the paper?',
    key: 't',
    to: (study) => ({ screen: 'reports', study }),
    group: 'study',
  },
  {
    name: 'Models',
    question: 'Which models can be studied?',
    key: 'm',
    to: () => ({ screen: 'models' }),
    group: 'machine',
  },
  {
    name: 'Doctor',
    question: 'Can this machine do it?',
    key: 'h',
    to: () => ({ screen: 'doctor' }),
    group: 'machine',
  },
  {
    name: 'Settings',
    question: 'Where things are kept and what they run on',
    key: ',',
    to: () => ({ screen: 'settings' }),
    group: 'machine',
  },
]

/** The questions of the credit laboratory, as its tabs and the palette name them. */
export const creditPlaces: readonly { readonly tab: CreditTab; readonly name: string; readonly question: string }[] = [
  { tab: 'shares', name: 'Shares', question: 'Which part of the batch pushed, and do the parts add up to the whole?' },
  { tab: 'tokens', name: 'Tokens', question: 'Which token got the credit?' },
  { tab: 'methods', name: 'Methods', question: 'Where do ways of assigning credit disagree?' },
  { tab: 'process', name: 'Process reward', question: 'Do shared prefixes say anything about single tokens?' },
  { tab: 'diagnostics', name: 'Diagnostics', question: 'Are these rollouts fit to assign credit from?' },
  { tab: 'datc', name: 'DATC', question: 'What would direction-aware weights change?' },
  { tab: 'desk', name: 'Desk', question: 'How does credit spread over several turns?' },
]
