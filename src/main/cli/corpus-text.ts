/** The audit of a corpus for people. */
import type { CorpusAudit } from '../engine/study/audit.ts'
import { count } from './figures.ts'
import type { Style } from './style.ts'
import { facts } from './table.ts'

export function auditText(style: Style, audit: CorpusAudit): string {
  const splits = (by: Readonly<Record<string, number>>) =>
    Object.entries(by)
      .map(([split, rows]) => `${split} ${count(rows)}`)
      .join(', ')
  return [
    style.strong(`${audit.dataset}, seed ${audit.seed}`),
    facts([
      ['preference pairs', `${count(audit.pairs)} (${splits(audit.pairs_by_split)})`],
      ['families', splits(audit.families_by_split)],
      ['demonstrations', count(audit.warmstart_demonstrations)],
      ['rollout prompts', count(audit.rollout_prompts)],
      ['probes', `${audit.probe_rows} rows in ${audit.unique_probe_contexts} contexts (${audit.probe_factorial})`],
      ['human feedback', audit.human_feedback ? 'yes' : 'none: preferences are constructed'],
    ]),
  ].join('\n')
}
