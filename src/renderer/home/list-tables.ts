/** The lists of studies and runs as they are taken away: every listed row, with its id. */
import { counted, type Table } from '../../main/report/section.ts'
import type { RunListing } from '../../shared/ipc.ts'
import type { StudyListing } from '../../shared/study-document.ts'
import { stageName } from './run-words.ts'

export function studiesTable(studies: readonly StudyListing[]): Table {
  return {
    caption: 'Studies',
    columns: [
      { label: 'Study' },
      { label: 'Id' },
      { label: 'State' },
      { label: 'Next stage' },
      { label: 'Preset' },
      { label: 'Seed', numeric: true },
      { label: 'Begun' },
    ],
    rows: studies.map((study) => ({
      cells: [
        study.name,
        study.study_id,
        study.status,
        study.next_stage ?? '',
        study.preset,
        String(study.seed),
        study.created_at,
      ],
    })),
  }
}

export function runsTable(runs: readonly RunListing[]): Table {
  return {
    caption: 'Runs',
    columns: [
      { label: 'Run' },
      { label: 'Id' },
      { label: 'Study' },
      { label: 'State' },
      { label: 'Updates', numeric: true },
      { label: 'Of', numeric: true },
      { label: 'Model' },
      { label: 'Preset' },
      { label: 'Begun' },
    ],
    rows: runs.map((run) => ({
      cells: [
        stageName(run),
        run.run_id,
        run.study_name ?? '',
        run.status,
        counted(run.updates),
        counted(run.total),
        run.model,
        run.preset ?? '',
        run.created_at,
      ],
    })),
  }
}
