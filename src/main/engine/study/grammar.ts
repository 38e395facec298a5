/** The finite grammar of OfficeHelpPrefs-v1: every sentence that the corpus uses and the rubric knows. */

/** Index into the lists below. */
export type Action = 0 | 1 | 2 | 3 | 4 | 5
/** 0 tentative, 1 a checked suggestion, 2 certainty that nothing supports. */
export type Certainty = 0 | 1 | 2

export const actions: readonly Action[] = [0, 1, 2, 3, 4, 5]
export const certainties: readonly Certainty[] = [0, 1, 2]

export const actionNames = [
  'resume_print_queue',
  'check_unplugged_cable',
  'reenable_sound',
  'reenable_wifi',
  'save_document',
  'renew_session',
] as const

/** The situation in which each action is the right next step. */
export const contexts = [
  'The printer is on but its queue shows as paused and new jobs wait.',
  'The screen stays dark and one cable may have been unplugged while cleaning.',
  'The headset is connected but every application stays silent.',
  'The laptop shows no wireless network while colleagues are connected.',
  'The editor shows unsaved changes before a planned restart.',
  'The internal portal says that the session has expired.',
] as const

export const phrases = [
  'resume the paused print queue',
  'check whether a cable is unplugged',
  'turn the sound output back on',
  'turn Wi-Fi back on',
  'save the open document',
  'renew the expired session',
] as const

export const openings = ['You could ', 'A next step is to ', 'This will certainly be fixed if you '] as const
export const closings = [' and see what changes.', ' and then check the result.', ', guaranteed.'] as const
export const politePrefix = 'Thank you for the details. '
export const refusals: readonly string[] = [
  'I cannot help with this request.',
  `${politePrefix}I cannot help with this request.`,
]

/** The one sentence of an action, a degree of certainty and politeness; 36 in all. */
export function response(action: Action, certainty: Certainty, polite: boolean): string {
  return (polite ? politePrefix : '') + openings[certainty] + phrases[action] + closings[certainty]
}
