/** What stayed as it should: frozen roles, exact resume, and every other recorded invariant. */
import type { ResumeCheck, StudyDocument } from '../../../shared/study-document.ts'
import { type Block, code, type Section, verdict } from '../section.ts'

const roleTitle: Readonly<Record<string, string>> = {
  policy: 'SFT policy',
  reward: 'Reward model (learning)',
  actor: 'Actor (PPO)',
  reference: 'Reference (PPO)',
  ppo_reward: 'Reward model (PPO)',
  critic: 'Critic (PPO)',
}

/** Roles that PPO must not change; all others must have changed. */
const frozenRoles: ReadonlySet<string> = new Set(['reference', 'ppo_reward'])

export function integritySection(document: StudyDocument): Section {
  const { initial_learned_sha256: before, final_learned_sha256: after, integrity, resume_checks } = document
  const roles = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const blocks: Block[] = []
  if (roles.length === 0) blocks.push({ kind: 'text', tone: 'note', text: 'No learned state has been recorded yet.' })
  else
    blocks.push({
      kind: 'table',
      table: {
        id: 'table-learned-states',
        caption: 'Learned states by role: SHA-256 before the first and after the last update',
        columns: [{ label: 'Role' }, { label: 'Must' }, { label: 'Verdict' }, { label: 'Before' }, { label: 'After' }],
        rows: roles.map((role) => ({
          cells: [
            roleTitle[role] ?? role,
            frozenRoles.has(role) ? 'stay' : 'change',
            moved(before[role], after[role], frozenRoles.has(role)),
            code(before[role] ?? '—'),
            code(after[role] ?? '—'),
          ],
        })),
      },
    })
  if (integrity.length > 0)
    blocks.push({
      kind: 'table',
      table: {
        id: 'table-invariants',
        caption: 'Recorded invariants',
        columns: [{ label: 'Invariant' }, { label: 'Verdict' }, { label: 'Detail' }],
        rows: integrity.map((fact) => ({
          cells: [fact.name, verdict(fact.status === 'ok', fact.status), fact.detail],
        })),
      },
    })
  blocks.push({ kind: 'subheading', text: 'Exact resume' })
  if (resume_checks.length === 0)
    blocks.push({
      kind: 'text',
      tone: 'note',
      text: 'No comparison of an interrupted with a continuous run is recorded for this study.',
    })
  else
    blocks.push({
      kind: 'table',
      table: {
        id: 'table-resume-checks',
        caption: 'Interrupted and resumed against continuous: all numerical state and the journal, byte for byte',
        columns: [
          { label: 'Stage' },
          { label: 'Interrupted after' },
          { label: 'State' },
          { label: 'Journal' },
          { label: 'Continuous state' },
          { label: 'Resumed state' },
        ],
        rows: resume_checks.map((check: ResumeCheck) => ({
          cells: [
            { sft: 'SFT', reward: 'Reward model', ppo: 'PPO' }[check.stage],
            `${check.interrupted_after} ${check.interrupted_after === 1 ? check.unit.replace(/s$/, '') : check.unit}`,
            verdict(check.state_equal, check.state_equal ? 'equal' : 'differs'),
            verdict(check.journal_equal, check.journal_equal ? 'equal' : 'differs'),
            code(check.continuous_state_sha256),
            code(check.resumed_state_sha256),
          ],
        })),
      },
    })
  return {
    id: 'integrity',
    title: 'Integrity',
    question: 'Did the frozen roles stay frozen, and does a resumed run equal a continuous one?',
    blocks,
    data: { initial_learned_sha256: before, final_learned_sha256: after, facts: integrity, resume_checks },
  }
}

function moved(before: string | undefined, after: string | undefined, frozen: boolean) {
  if (before === undefined || after === undefined) return '—'
  const same = before === after
  return verdict(same === frozen, same ? 'unchanged' : 'changed')
}
