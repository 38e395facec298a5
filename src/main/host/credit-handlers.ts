/** The credit screens' requests, one line each: what is asked and which part of the workbench answers. */
import type { RequestHandlers, RequestName } from '../../shared/ipc.ts'
import { compareMethods, diagnoseRollouts, inducedReward } from '../workbench/credit/ask-rollouts.ts'
import { keptConcentration } from '../workbench/credit/concentration-of-results.ts'
import { creditResult, creditResults } from '../workbench/credit/credit-results.ts'
import { datcStudies, datcStudy } from '../workbench/credit/datc-studies.ts'
import { chosenTasks } from '../workbench/credit/desk.ts'
import { deskPlays, deskSummary } from '../workbench/credit/desk-views.ts'
import { methodFacts } from '../workbench/credit/method-facts.ts'
import { recordedAudits } from '../workbench/credit/recorded-audits.ts'
import { creditSources, forgetSource, listTrajectories, viewTrajectories } from '../workbench/credit/sources.ts'
import { takeTrajectories } from '../workbench/credit/take-trajectories.ts'
import type { Workbench } from '../workbench/workbench.ts'

export type CreditHandlers = Pick<RequestHandlers, Extract<RequestName, `credit.${string}` | `desk.${string}`>>

export function creditHandlers(bench: Workbench): CreditHandlers {
  return {
    'credit.sources': async () => creditSources(bench),
    'credit.rollouts': ({ source }) => listTrajectories(bench, source),
    'credit.trajectories': ({ source, ids }) => viewTrajectories(bench, source, ids),
    'credit.keep': (request) => takeTrajectories(bench, request),
    'credit.forget': async ({ sha256 }) => {
      forgetSource(bench, sha256)
      return creditSources(bench)
    },
    'credit.methods': async () => methodFacts(),
    'credit.compare': (request) => compareMethods(bench, request),
    'credit.process-reward': (request) => inducedReward(bench, request),
    'credit.diagnose': (request) => diagnoseRollouts(bench, request),
    'credit.results': async () => creditResults(bench),
    'desk.tasks': ({ split, task_seed: seed }) => chosenTasks({ split, seed }),
    'desk.summary': (request) => deskSummary(bench, request),
    'credit.concentration': (request) => keptConcentration(bench, request),
    'desk.plays': async () => deskPlays(bench),
    'credit.result': async ({ run_id }) => creditResult(bench, run_id),
    'credit.datc-studies': async () => datcStudies(bench),
    'credit.datc-study': async ({ run_id }) => datcStudy(bench, run_id),
    'credit.recorded': async ({ run_id }) => recordedAudits(bench, run_id),
  }
}
