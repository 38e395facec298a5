/** The README of an export: what it is, how it runs, which setting went where, and what the other engine cannot do. */
import { type SettingName, settingNames } from './setting-names.ts'
import type { AdapterRole, Engine, PlannedStage, TrainingPlan } from './training-plan.ts'

const commands: Readonly<Record<Engine, string>> = {
  trl: [
    'python -m venv .venv && .venv/bin/pip install -r requirements.txt',
    '.venv/bin/python study.py all --base DIR      # every stage',
    '.venv/bin/accelerate launch study.py rl --base DIR   # one stage on several devices',
  ].join('\n'),
  verl: [
    'python -m venv .venv && .venv/bin/pip install -r requirements.txt   # and verl with a rollout backend, on the cluster',
    '.venv/bin/python prepare.py --base DIR   # rows to parquet, adapters merged into folders that verl reads',
    '.venv/bin/python run.py sft              # where the study has that stage',
    '.venv/bin/python run.py rl',
  ].join('\n'),
}

/** How rollouts of the other engine come back for an audit. */
const back: Readonly<Record<Engine, readonly string[]>> = {
  trl: [
    'Reinforcement learning writes every rollout to `runs/rollouts-0.jsonl` (one file a process): trajectories with token ids,\nwhich the credit commands read as they stand:',
    fenced('recompense credit process-reward --input runs/rollouts-0.jsonl'),
  ],
  verl: [
    'verl writes rollouts as texts, a file a step:',
    fenced('recompense import rollouts runs/rollouts --from verl --tokenizer DIR --out rollouts.jsonl'),
  ],
}

const titles: Readonly<Record<PlannedStage['kind'], string>> = {
  sft: 'Supervised fine-tuning',
  reward: 'Reward model',
  dpo: 'Direct preference optimisation',
  rl: 'Reinforcement learning',
}

export function exportReadme(engine: Engine, plan: TrainingPlan): string {
  const { shared, byMethod } = settingNames[engine]
  return `${[
    `# ${plan.kind === 'study' ? 'Study' : 'Run'} ${plan.id} for ${engine === 'trl' ? 'TRL' : 'verl'}`,
    `Exported by Recompense ${plan.codeVersion}. Settings are in \`settings.yaml\`, rows in \`data/\` (JSON lines; \`prompt_ids\`,
\`completion_ids\`, \`chosen_ids\` and \`rejected_ids\` are what the original learned from), learned adapters in \`adapters/\`
(PEFT). Nothing here needs a network when \`--base\` names a local folder with these files:`,
    fenced(
      Object.entries(plan.base.files)
        .map(([name, sha256]) => `${sha256}  ${name}`)
        .join('\n'),
    ),
    '## Running',
    fenced(commands[engine]),
    '## Adapters',
    adapterLines(plan).join('\n'),
    '## Settings, and what has no equivalent',
    table(shared),
    ...plan.stages.flatMap(({ kind, method }) => [`### ${titles[kind]} (${method})`, table(byMethod[method])]),
    `Seeds are the study's, but each engine draws rows, samples and fresh weights with generators of its own: results are
comparable, not equal.`,
    '## Back again',
    ...back[engine],
  ].join('\n\n')}\n`
}

const titleOf: Readonly<Record<AdapterRole, string>> = {
  policy: 'the policy before reinforcement learning,',
  reward: 'the reward model,',
  actor: 'the policy after reinforcement learning,',
  critic: 'the critic (value head v_head),',
}

function adapterLines({ adapters, missing, kind }: TrainingPlan): string[] {
  const lines = [
    ...adapters.map(({ role }) => `- \`adapters/${role}\`: ${titleOf[role]} as it was when the ${kind} ended`),
    ...missing.map(
      ({ role, sha256 }) =>
        `- \`adapters/${role}\` is not included: the run was given it as a folder and recorded only its SHA-256 over all files, ${sha256}. Put it there.`,
    ),
  ]
  return lines.length === 0 ? ['None yet: the stages begin from the base.'] : lines
}

function table(names: readonly SettingName[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  return [
    '| ours | there | |',
    '| --- | --- | --- |',
    ...names.map(
      ({ ours, theirs, note = '' }) =>
        `| ${cell(ours)} | ${theirs === null ? '**no equivalent**' : cell(theirs)} | ${cell(note)} |`,
    ),
  ].join('\n')
}

function fenced(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``
}
