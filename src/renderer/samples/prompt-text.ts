/** A prompt's own words without the chat template's marks: what the user said last. */
export function promptText(tokens: readonly string[]): string {
  const all = tokens.join('')
  const turns = all.split('<|im_start|>')
  const user = turns.filter((turn) => turn.startsWith('user')).at(-1)
  if (user === undefined) return all
  return user.replace(/^user\s*\n?/, '').replace(/<\|im_end\|>[\s\S]*$/, '')
}
