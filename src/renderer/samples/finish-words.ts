/** Why a response ended, by the sampler's own reason. */
export const finishWords = { eos: 'ended', length: 'cut' } as const
