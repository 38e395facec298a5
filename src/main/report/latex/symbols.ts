/** Characters beyond ASCII that plain LaTeX with amssymb can set, with the command for each. */

const math = (command: string) => `\\ensuremath{${command}}`

const greek = ['alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi o pi rho']
  .concat(['varsigma sigma tau upsilon varphi chi psi omega'])
  .join(' ')
  .split(' ')
const capitals = ['A B Gamma Delta E Z H Theta I K Lambda M N Xi O Pi P', 'Sigma T Upsilon Phi X Psi Omega']

const entries: [string, string][] = [
  ['\u00a0', '~'],
  ['\u2007', '~'],
  ['\u2009', '\\,'],
  ['\u200a', '\\,'],
  ['\u202f', '\\,'],
  ['\u2010', '-{}'],
  ['\u2011', '-{}'],
  ['–', '--{}'],
  ['—', '---{}'],
  ['‘', '`{}'],
  ['’', "'{}"],
  ['“', '``{}'],
  ['”', "''{}"],
  ['„', ',{},{}'],
  ['«', math('\\ll')],
  ['»', math('\\gg')],
  ['…', '\\ldots{}'],
  ['•', math('\\bullet')],
  ['·', math('\\cdot')],
  ['°', math('^{\\circ}')],
  ['−', math('-')],
  ['×', math('\\times')],
  ['÷', math('\\div')],
  ['±', math('\\pm')],
  ['≤', math('\\leq')],
  ['≥', math('\\geq')],
  ['≠', math('\\neq')],
  ['≈', math('\\approx')],
  ['∼', math('\\sim')],
  ['∞', math('\\infty')],
  ['∈', math('\\in')],
  ['∑', math('\\sum')],
  ['∏', math('\\prod')],
  ['∂', math('\\partial')],
  ['∇', math('\\nabla')],
  ['√', math('\\surd')],
  ['∥', math('\\parallel')],
  ['→', math('\\rightarrow')],
  ['←', math('\\leftarrow')],
  ['↑', math('\\uparrow')],
  ['↓', math('\\downarrow')],
  ['↔', math('\\leftrightarrow')],
  ['⇒', math('\\Rightarrow')],
  ['⇐', math('\\Leftarrow')],
  ['⇔', math('\\Leftrightarrow')],
  ['⟨', math('\\langle')],
  ['⟩', math('\\rangle')],
  ['●', math('\\bullet')],
  ['○', math('\\circ')],
  ['■', math('\\blacksquare')],
  ['□', math('\\square')],
  ['▲', math('\\blacktriangle')],
  ['△', math('\\triangle')],
  ['▼', math('\\blacktriangledown')],
  ['◆', math('\\blacklozenge')],
  ['✓', math('\\checkmark')],
  ['✗', math('\\times')],
  ['µ', math('\\mu')],
  ['ϵ', math('\\epsilon')],
  ['ϕ', math('\\phi')],
  ['ϑ', math('\\vartheta')],
  ['§', '\\S{}'],
  ['¶', '\\P{}'],
  ['©', '\\copyright{}'],
  ['£', '\\pounds{}'],
  ['¬', math('\\neg')],
  ['¡', '!`{}'],
  ['¿', '?`{}'],
  ['ß', '\\ss{}'],
  ['æ', '\\ae{}'],
  ['Æ', '\\AE{}'],
  ['œ', '\\oe{}'],
  ['Œ', '\\OE{}'],
  ['ø', '\\o{}'],
  ['Ø', '\\O{}'],
  ['ł', '\\l{}'],
  ['Ł', '\\L{}'],
  ['ı', '\\i{}'],
  ...[...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((sign, digit): [string, string] => [sign, math(`^{${digit}}`)]),
  ...[...'₀₁₂₃₄₅₆₇₈₉'].map((sign, digit): [string, string] => [sign, math(`_{${digit}}`)]),
  ['⁻', math('^{-}')],
  ...greek.map((name, index): [string, string] => [
    String.fromCodePoint(0x3b1 + index),
    math(name === 'o' ? 'o' : `\\${name}`),
  ]),
]

// U+03A2 is unassigned: the capitals stand in two rows.
for (const [row, first] of [
  [capitals[0]!, 0x391],
  [capitals[1]!, 0x3a3],
] as const)
  row.split(' ').forEach((name, index) => {
    entries.push([String.fromCodePoint(first + index), math(name.length === 1 ? `\\mathrm{${name}}` : `\\${name}`)])
  })

export const symbols: ReadonlyMap<string, string> = new Map(entries)

/** Combining marks by the accent command that sets them over a letter. */
export const accents: ReadonlyMap<string, string> = new Map([
  ['\u0300', '\\`'],
  ['\u0301', "\\'"],
  ['\u0302', '\\^'],
  ['\u0303', '\\~'],
  ['\u0304', '\\='],
  ['\u0306', '\\u'],
  ['\u0307', '\\.'],
  ['\u0308', '\\"'],
  ['\u030a', '\\r'],
  ['\u030b', '\\H'],
  ['\u030c', '\\v'],
  ['\u0327', '\\c'],
])
