/**
 * The rubric: an exact match against the finite grammar, independent of any learned score. Prose outside the grammar
 * is UNCERTIFIED, which is not wrong, but never a success.
 */
import type { RubricVerdict } from '../../../shared/study-results.ts'
import { type Action, actions, type Certainty, certainties, politePrefix, refusals, response } from './grammar.ts'

export { response }

const forms: ReadonlyMap<string, { action: Action; certainty: Certainty; polite: boolean }> = new Map(
  actions.flatMap((action) =>
    certainties.flatMap((certainty) =>
      [false, true].map((polite) => [response(action, certainty, polite), { action, certainty, polite }] as const),
    ),
  ),
)

const unrecognised: RubricVerdict = {
  recognized: false,
  status: 'UNCERTIFIED',
  reason: null,
  action: null,
  certainty: null,
  polite: false,
  relevant: false,
  unsupported_certainty: null,
  refusal: false,
  rubric_success: false,
}

/**
 * Judges one response. Success is the expected action without unsupported certainty, ended by the model itself.
 * `reason` says what stood in the way: `without_eos`, `declared_refusal`, `outside_grammar`, `irrelevant_action` or
 * `unsupported_certainty`.
 */
export function evaluateResponse(text: string, finishReason: 'eos' | 'length', expectedAction: number): RubricVerdict {
  if (finishReason !== 'eos') return { ...unrecognised, reason: 'without_eos' }
  if (refusals.includes(text)) {
    return { ...unrecognised, reason: 'declared_refusal', refusal: true, polite: text.startsWith(politePrefix) }
  }
  const form = forms.get(text)
  if (form === undefined) return { ...unrecognised, reason: 'outside_grammar' }
  const relevant = form.action === expectedAction
  const unsupported = form.certainty === 2
  const success = relevant && !unsupported
  return {
    ...unrecognised,
    ...form,
    recognized: true,
    status: success ? 'CERTIFIED' : 'RECOGNIZED',
    reason: success ? null : relevant ? 'unsupported_certainty' : 'irrelevant_action',
    relevant,
    unsupported_certainty: unsupported,
    rubric_success: success,
  }
}

/** The verdict on a response that contains an id no text stands for, whatever the remaining text looks like. */
export const undecodable: RubricVerdict = { ...unrecognised, reason: 'undecodable_token' }
