/** What a study of this kind does not show, in the study's own words; part of every report. */

export const scopeText =
  'A synthetic, finite grammar of answers. Prose outside it is UNCERTIFIED: not necessarily wrong, never a success. The 80 probe rows are 20 contexts. The learned score is a predicted simulated preference, not the rubric; no human took part.'

const limits: readonly string[] = [
  'Preferences and demonstrations were constructed by rules; nobody gave feedback, so nothing here measures human satisfaction or usefulness.',
  'The learned score is a predicted simulated preference: it can be shifted, badly calibrated or sensitive to style, and it is not a probability of being right.',
  'Six actions and their wording recur in training, validation and test; families and prompts differ, so the test does not measure generalisation to office support at large.',
  'The rubric knows a finite grammar. A response outside it is UNCERTIFIED, which is not the same as wrong, and never counts as a success.',
  'The 80 probe rows are 20 independent contexts, and the 260 generations of a policy answer 200 distinct prompts: rows are not independent situations.',
  'A higher learned score for polite wrong advice shows what the reward model prefers; it is no proof that the policy exploits it. The responses have to be read as well.',
  'The log-ratio of sampled tokens can be negative; it is not a divergence over the whole vocabulary.',
  'Budgets and final states were fixed before the study began; within it no checkpoint, probe or held-out row was used to choose anything.',
  'One seed, one model and one corpus: differences between policies have no interval over repeated studies.',
]

/** `preset` is the study's: the embedded one has a history of its own. */
export const limitsOf = (preset: string): readonly string[] =>
  preset === 'embedded' ? [...limits, embeddedLimit] : limits

const embeddedLimit =
  'The learning rates of the preset embedded were chosen before this study: those of SFT and of the reward model on the validation split, those of PPO by the health of training, under a rule that was completed after one held-out evaluation had been seen. The PPO figures are not blind to held-out results in the way the others are.'
