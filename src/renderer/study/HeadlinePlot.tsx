/**
 * Learned reward and rubric success against PPO iteration, one above the other on one step axis: two scales are not laid
 * over each other, because where the curves then cross would be the axis's doing.
 */
import type { StudyDocument } from '../../shared/study-document.ts'
import { CursorGroup, LineChart, windowFor } from '../charts/index.ts'
import { EmptyState } from '../parts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'
import classes from './study.module.css'

export function HeadlinePlot({ study }: { readonly study: StudyDocument }) {
  const { iterations } = study
  if (iterations.length === 0) {
    return (
      <EmptyState title="No PPO iteration yet">
        Learned reward and rubric success appear here, iteration by iteration, once PPO runs.
      </EmptyState>
    )
  }
  const smoothing = windowFor(iterations.length)
  const judged = iterations.some((point) => point.rubric_judged > 0)
  const common = { kind: 'line', xLabel: 'PPO iteration' } as const
  const smooth = smoothing === undefined ? {} : { smoothing }
  return (
    <CursorGroup>
      <div className={classes.plots}>
        <LineChart
          name="headline-learned-reward"
          title="Learned reward of the rollouts"
          study={study.study_id}
          reportAt={reportPlaces.headlineReward}
          height={170}
          chart={{
            ...common,
            yLabel: 'mean predicted simulated preference',
            series: [
              {
                name: 'learned reward',
                role: 'reward',
                ...smooth,
                points: iterations.map((point) => ({ x: point.iteration, y: point.mean_learned_reward })),
              },
            ],
          }}
        />
        {judged && (
          <LineChart
            name="headline-rubric-success"
            title="Rubric success of the same rollouts"
            study={study.study_id}
            reportAt={reportPlaces.headlineRubric}
            height={170}
            caption="Judged after the fact on training prompts; the learner never saw a target. The held-out figures stand beside."
            chart={{
              ...common,
              yLabel: '% of rollouts judged',
              include: [0, 100],
              series: [
                {
                  name: 'rubric success',
                  role: 'rubric',
                  ...smooth,
                  points: iterations.map((point) => ({
                    x: point.iteration,
                    y: point.rubric_judged === 0 ? null : (100 * point.rubric_success) / point.rubric_judged,
                  })),
                },
              ],
            }}
          />
        )}
      </div>
    </CursorGroup>
  )
}
