/** The numbers behind the PPO curves. */
import type { IterationPoint, PpoUpdatePoint } from '../../../shared/study-document.ts'
import { counted, measured, precise, type ReportTable } from '../section.ts'

export function iterationsTable(iterations: readonly IterationPoint[]): ReportTable {
  return {
    id: 'table-ppo-iterations',
    caption: 'PPO by iteration: means over the rollouts of each',
    columns: [
      { label: 'Iteration', numeric: true },
      { label: 'Rollouts', numeric: true },
      { label: 'Learned reward', numeric: true, role: 'reward' },
      { label: 'Rubric success', numeric: true, role: 'rubric' },
      { label: 'Sampled log-ratio', numeric: true, role: 'reference' },
      { label: 'Tokens', numeric: true },
      { label: 'Without EOS', numeric: true },
      { label: 'KL reward', numeric: true },
      { label: 'Truncation reward', numeric: true },
      { label: 'Value', numeric: true },
      { label: 'Advantage', numeric: true },
      { label: 'Return', numeric: true },
    ],
    rows: iterations.map((point) => ({
      cells: [
        counted(point.iteration),
        counted(point.rollouts),
        measured(point.mean_learned_reward),
        counted(point.rubric_success),
        measured(point.mean_sampled_actor_reference_logratio, 4),
        measured(point.mean_response_tokens, 2),
        counted(point.without_eos),
        measured(point.mean_kl_reward, 4),
        measured(point.mean_truncation_reward),
        measured(point.mean_value),
        measured(point.mean_advantage),
        measured(point.mean_return),
      ],
    })),
  }
}

export function ppoUpdatesTable(updates: readonly PpoUpdatePoint[]): ReportTable {
  return {
    id: 'table-ppo-updates',
    caption: 'PPO by update: actor and critic; gradient norms are before clipping',
    columns: [
      { label: 'Update', numeric: true },
      { label: 'Iteration', numeric: true },
      { label: 'Actor loss', numeric: true },
      { label: 'Critic loss', numeric: true },
      { label: 'Actor norm', numeric: true },
      { label: 'Critic norm', numeric: true },
      { label: 'Actor rate', numeric: true },
      { label: 'Critic rate', numeric: true },
      { label: 'Clip fraction', numeric: true },
      { label: 'Ratio min', numeric: true },
      { label: 'Ratio max', numeric: true },
      { label: 'Scored − sampled, max', numeric: true },
    ],
    rows: updates.map((point) => ({
      cells: [
        counted(point.update),
        counted(point.iteration),
        measured(point.actor_loss, 4),
        measured(point.critic_loss, 4),
        measured(point.actor_grad_norm),
        measured(point.critic_grad_norm),
        precise(point.actor_learning_rate),
        precise(point.critic_learning_rate),
        measured(point.clip_fraction),
        measured(point.ratio_min),
        measured(point.ratio_max),
        precise(point.old_logprob_max_difference),
      ],
    })),
  }
}
