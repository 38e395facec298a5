/** The stages in order, with what each one did and how long it worked. */
import type { StageRecord, StudyDocument } from '../../../shared/study-document.ts'
import { integer, seconds, utc } from '../number-text.ts'
import { type Cell, counted, type Section, verdict, written } from '../section.ts'

const stageTitle: Readonly<Record<string, string>> = {
  corpus: 'Data',
  sft: 'SFT',
  reward: 'Reward model',
  ppo: 'PPO',
  evaluation: 'Held-out evaluation',
  probes: 'Probes',
  report: 'Report',
}

export function pipelineSection(document: StudyDocument): Section {
  return {
    id: 'pipeline',
    title: 'Stages',
    question: 'What was run, and did it finish?',
    blocks: [
      {
        kind: 'table',
        table: {
          id: 'table-stages',
          caption: 'Stages of the study, in order; updates are optimiser updates, per optimiser for PPO',
          columns: [
            { label: 'Stage' },
            { label: 'Status' },
            { label: 'Updates', numeric: true },
            { label: 'Working time', numeric: true },
            { label: 'Finished' },
          ],
          rows: document.stages.map((stage) => ({
            cells: [
              stageTitle[stage.name] ?? stage.name,
              status(stage),
              stage.total === 0
                ? counted(null)
                : written(stage.updates, `${integer(stage.updates)} / ${integer(stage.total)}`),
              written(stage.seconds, seconds(stage.seconds)),
              utc(stage.finished_at),
            ],
          })),
        },
      },
      {
        kind: 'text',
        tone: 'note',
        text: 'Working time sums all sessions of a stage; the pause between an interruption and its resumption is not in it, and neither is a session that was killed.',
      },
    ],
    data: { stages: document.stages },
  }
}

function status(stage: StageRecord): Cell {
  if (stage.status === 'finished') return verdict(true, 'finished')
  if (stage.status === 'failed') return verdict(false, stage.error === null ? 'failed' : `failed: ${stage.error}`)
  return stage.status
}
