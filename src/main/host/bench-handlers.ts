/** The requests that need an open store, one line each: what is asked and which part of the workbench answers. */
import type { RequestHandlers, WindowEvent } from '../../shared/ipc.ts'
import { checkRows } from '../workbench/check-rows.ts'
import { checkSettings } from '../workbench/check-settings.ts'
import { estimateJob } from '../workbench/estimate-job.ts'
import { JobService } from '../workbench/job-service.ts'
import { listModels } from '../workbench/list-models.ts'
import { listRuns } from '../workbench/list-runs.ts'
import { listStudies } from '../workbench/list-studies.ts'
import { readPreferences, writePreferences } from '../workbench/preferences.ts'
import { previewCorpus } from '../workbench/preview-corpus.ts'
import { readReportChoice, writeReportChoice } from '../workbench/report-choice.ts'
import { exportReport, previewReport, reportOutline } from '../workbench/report-views.ts'
import { listRollouts, showRollout } from '../workbench/rollout-views.ts'
import { showRun, showRunLog } from '../workbench/show-run.ts'
import { showStudy } from '../workbench/show-study.ts'
import { verifyStudy } from '../workbench/verify-study.ts'
import type { Workbench } from '../workbench/workbench.ts'
import { creditHandlers } from './credit-handlers.ts'
import { hasReport, type WindowHost } from './requests.ts'
import { reportUrl } from './served-file.ts'

/** How long an update may take to end by itself when the program ends. */
const closingPatienceMs = 20_000

type BenchHandlers = Omit<RequestHandlers, 'app.info' | 'doctor.run' | 'files.pick'>

export function benchHandlers(
  bench: Workbench,
  host: WindowHost,
  tell: (event: WindowEvent) => void,
): { readonly handlers: BenchHandlers; readonly jobs: JobService; readonly close: () => Promise<void> } {
  const jobs = new JobService(bench, tell)
  const handlers: BenchHandlers = {
    'studies.list': async () => listStudies(bench),
    'studies.show': async ({ study_id }) => {
      const study = showStudy(bench, study_id)
      return { study, report_url: hasReport(bench, study_id) ? reportUrl(study_id) : null }
    },
    'studies.verify': async ({ study_id }) => {
      const { ok, checks } = verifyStudy(bench, study_id)
      return { ok, checks }
    },
    'runs.list': async () => listRuns(bench),
    'runs.show': async ({ run_id }) => showRun(bench, run_id),
    'runs.log': async ({ run_id }) => showRunLog(bench, run_id),
    'rollouts.list': async ({ study_id }) => listRollouts(bench, study_id),
    'rollouts.show': async ({ study_id, rollout_id }) => showRollout(bench, study_id, rollout_id),
    'jobs.current': async () => jobs.current(),
    'jobs.estimate': (request) => estimateJob(bench, request),
    'jobs.start': (request) => jobs.start(request),
    'jobs.pause': async () => jobs.pause(),
    'jobs.resume': async () => jobs.resume(),
    'jobs.stop': async () => jobs.stop(),
    'corpus.preview': async ({ seed }) => previewCorpus(seed),
    'rows.check': (request) => checkRows(request),
    'settings.check': async (request) => checkSettings(request),
    'report.sections': async ({ study_id }) => reportOutline(bench, study_id),
    'report.choice': async ({ study_id }) => readReportChoice(bench, study_id),
    'report.choose': async ({ study_id, choice }) => writeReportChoice(bench, study_id, choice),
    'report.preview': async (request) => previewReport(bench, request),
    'report.export': async (request) => {
      const exported = await exportReport(bench, request, host.exportUrl)
      const first = exported.files[0]
      if (first !== undefined) host.onExport?.(first.path)
      return exported
    },
    ...creditHandlers(bench),
    'models.list': async () => listModels(readPreferences(bench.home).preferences.model_folders),
    'preferences.get': async () => readPreferences(bench.home),
    'preferences.set': async (preferences) => {
      const stored = writePreferences(bench.home, preferences)
      host.onPreferences?.(stored.preferences)
      return stored
    },
  }
  return {
    handlers,
    jobs,
    close: async () => {
      await jobs.close(closingPatienceMs)
      bench.close()
    },
  }
}
