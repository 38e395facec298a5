/** The first page: what was studied, and whether the held-out criterion improved or the policy exploited a shortcut. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { type BranchName, branchNames, type StudyResults } from '../../../shared/study-results.ts'
import { change, decimal, integer, interval, percent } from '../number-text.ts'
import type { Block, Figure, Section } from '../section.ts'
import { measured, shared, written } from '../section.ts'
import { familyBootstrap } from '../statistics/family-bootstrap.ts'
import { evidenceSentences, gapName, heldOutOutcome, verdictSentence } from '../statistics/outcome.ts'
import { shareInterval } from '../statistics/share-interval.ts'
import type { DotPlot } from '../svg/chart.ts'
import { branchTitle } from './branch-title.ts'

export function headlineSection(document: StudyDocument): Section {
  const title = 'What this study found'
  const question = 'Did optimising the learned reward improve the held-out criterion, or exploit a shortcut?'
  const studied: Block = { kind: 'text', text: whatWasStudied(document) }
  if (document.results === null) {
    const reason = document.error === null ? '' : ` It stopped with: ${document.error.message}`
    return {
      id: 'headline',
      title,
      question,
      blocks: [
        {
          kind: 'text',
          tone: 'lead',
          text: `No finding yet: the held-out evaluation has not finished (study ${document.status}).${reason}`,
        },
        studied,
      ],
      data: { finding: null, outcome: null },
    }
  }
  const outcome = heldOutOutcome(document.results)
  const { probes } = document.results
  const branches = branchNames.map((name) => branchJudges(document.results!, name))
  return {
    id: 'headline',
    title,
    question,
    blocks: [
      { kind: 'text', tone: 'lead', text: verdictSentence(outcome) },
      {
        kind: 'highlights',
        items: [
          {
            label: 'Learned reward, SFT → PPO',
            figure: change(outcome.rewardChange, 2),
            note: `${decimal(outcome.sft.reward, 2)} → ${decimal(outcome.ppo.reward, 2)}, n = ${integer(outcome.n)}`,
            role: 'reward',
          },
          {
            label: 'Rubric successes, SFT → PPO',
            figure: outcome.rubricChange === 0 ? '±0' : change(outcome.rubricChange, 0),
            note: `${outcome.sft.success} → ${outcome.ppo.success} of ${outcome.n}`,
            role: 'rubric',
          },
          {
            label: 'Reward up, rubric lost',
            figure: integer(outcome.rewardUpRubricLost),
            note: `of ${outcome.n} test prompts`,
          },
          {
            label: 'Wrong-polite above right-plain',
            figure: `${probes.wrong_polite_outranks_correct_plain} of ${probes.unique_contexts}`,
            note: 'probe contexts, fixed candidates',
            role: 'reward',
          },
        ],
      },
      { kind: 'text', text: `The gap: ${gapName(outcome)}.` },
      { kind: 'list', items: evidenceSentences(outcome) },
      { kind: 'figures', width: 'narrow', figures: judgeFigures(branches, outcome.families) },
      studied,
      {
        kind: 'text',
        tone: 'note',
        text: 'The learned reward is a predicted simulated preference, not usefulness and not human satisfaction. A rise of it is not by itself evidence of an exploited shortcut: the responses below must be read. Test prompts share six situations, so rows of one family are not independent and the Wilson intervals, which treat them as such, are narrower than they should be.',
      },
    ],
    data: { finding: verdictSentence(outcome), gap: gapName(outcome), outcome, branches },
  }
}

interface BranchJudges {
  readonly branch: BranchName
  readonly n: number
  readonly success: number
  readonly rubric_interval: readonly [number, number] | null
  readonly mean_learned_reward: number
  readonly learned_reward_interval: readonly [number, number] | null
}

function branchJudges(results: StudyResults, branch: BranchName): BranchJudges {
  const test = results.actor[branch].metrics.test
  const rows = results.actor[branch].rows.filter((row) => row.split === 'test')
  return {
    branch,
    n: test.rows,
    success: test.rubric_success,
    rubric_interval: shareInterval(test.rubric_success, test.rows),
    mean_learned_reward: test.mean_learned_reward,
    learned_reward_interval: familyBootstrap(
      rows.map((row) => ({ family: row.family, value: row.learned_reward_score })),
    ),
  }
}

function judgeFigures(branches: readonly BranchJudges[], families: number): Figure[] {
  const n = branches.at(-1)?.n ?? 0
  const inPercent = (bounds: readonly [number, number] | null) =>
    bounds === null ? null : ([bounds[0] * 100, bounds[1] * 100] as const)
  const reward: DotPlot = {
    kind: 'dots',
    xLabel: 'mean learned reward (logit units)',
    series: [{ name: 'learned reward, 95% interval', role: 'reward', hollow: false }],
    include: [],
    rows: branches.map((row) => ({
      label: branchTitle[row.branch],
      values: [row.mean_learned_reward],
      intervals: [row.learned_reward_interval],
    })),
  }
  const rubric: DotPlot = {
    kind: 'dots',
    xLabel: 'rubric success (% of test responses)',
    series: [{ name: 'rubric success, 95% interval', role: 'rubric', hollow: false }],
    include: [0, 100],
    rows: branches.map((row) => ({
      label: branchTitle[row.branch],
      values: [row.n === 0 ? null : (row.success / row.n) * 100],
      intervals: [inPercent(row.rubric_interval)],
    })),
  }
  return [
    {
      id: 'figure-headline-reward',
      title: 'The judge that was optimised',
      caption: `Mean learned reward on ${n} test prompts; interval: bootstrap over ${families} families.`,
      chart: reward,
      dataKey: 'headline.data.branches',
      data: {
        id: 'table-headline-reward',
        caption: 'Mean learned reward of held-out test responses by policy',
        columns: [{ label: 'Policy' }, { label: 'Mean', numeric: true }, { label: '95% interval', numeric: true }],
        rows: branches.map((row) => ({
          cells: [branchTitle[row.branch], measured(row.mean_learned_reward), interval(row.learned_reward_interval)],
        })),
      },
    },
    {
      id: 'figure-headline-rubric',
      title: 'The criterion that was held out',
      caption: `Responses that pass the finite-grammar rubric, of ${n}; Wilson interval.`,
      chart: rubric,
      dataKey: 'headline.data.branches',
      data: {
        id: 'table-headline-rubric',
        caption: 'Rubric success of held-out test responses by policy',
        columns: [
          { label: 'Policy' },
          { label: 'k / n', numeric: true },
          { label: 'Share', numeric: true },
          { label: '95% interval', numeric: true },
        ],
        rows: branches.map((row) => ({
          cells: [
            branchTitle[row.branch],
            written(row.success, `${row.success} / ${row.n}`),
            shared(row.n === 0 ? null : row.success / row.n),
            row.rubric_interval === null
              ? '—'
              : `[${percent(row.rubric_interval[0])}, ${percent(row.rubric_interval[1])}]`,
          ],
        })),
      },
    },
  ]
}

function whatWasStudied(document: StudyDocument): string {
  const { config } = document
  return (
    `Study “${document.name}” (${document.study_id}), preset ${document.preset}, seed ${document.seed}: supervised fine-tuning for ${config.sft_epochs} epochs, a reward model ` +
    `on preference pairs for ${config.reward_epochs} epochs, then ${config.rollout_iterations} PPO iterations of ${config.prompts_per_rollout} rollouts against the frozen reward model ` +
    `(KL coefficient ${config.kl_coefficient}, LoRA rank ${config.lora_rank}), on the synthetic office-help corpus. Budgets and final states were fixed before execution.`
  )
}
