/** Everything by its name: places, studies, new work. Opened with Ctrl+K or ⌘K. */
import { Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import { useMemo } from 'react'
import { useAnswer, useJob } from '../bridge/index.ts'
import { Icon } from '../parts/index.ts'
import { go, plainCredit, type WizardName } from '../routes/index.ts'
import { ago } from '../words/index.ts'
import { creditPlaces, places } from './places.ts'
import { useStudyInView } from './use-study-in-view.ts'

const starts: readonly (readonly [WizardName, string, string])[] = [
  ['data', 'New study', 'From the data to the report'],
  ['sft', 'New SFT run', 'Learn from demonstrations'],
  ['reward', 'New reward model', 'Learn from preference pairs'],
  ['ppo', 'New PPO run', 'Learn from the reward model'],
  ['group', 'New GRPO run', 'Or RLOO, DATC, RED, P2T: learn from groups of rollouts'],
  ['dpo', 'New DPO run', 'Learn from pairs without a reward model'],
  ['probes', 'Probe a reward model', 'Does politeness buy reward?'],
  ['report', 'New audit report', 'What can go into the paper?'],
]

export function Palette() {
  const study = useStudyInView()?.study_id ?? null
  const { value: studies = [] } = useAnswer('studies.list', {})
  const { active, stop } = useJob()
  const actions = useMemo<SpotlightActionGroupData[]>(
    () => [
      {
        group: 'Go to',
        actions: places.flatMap((place) => {
          const to = place.to(study)
          if (to === null) return []
          return [{ id: `go ${place.name}`, label: place.name, description: place.question, onClick: () => go(to) }]
        }),
      },
      {
        group: 'Credit',
        actions: creditPlaces.map(({ tab, name, question }) => ({
          id: `credit ${tab}`,
          label: name,
          description: question,
          keywords: ['credit'],
          onClick: () => go({ ...plainCredit, tab }),
        })),
      },
      {
        group: 'Start',
        actions: [
          ...starts.map(([wizard, label, description]) => ({
            id: `new ${wizard}`,
            label,
            description,
            onClick: () => go({ screen: 'new', wizard, study }),
          })),
          ...(active
            ? [{ id: 'stop', label: 'Stop the job', description: 'It can be resumed', onClick: () => void stop() }]
            : []),
        ],
      },
      {
        group: 'Studies',
        actions: studies.slice(0, 200).map((listed) => ({
          id: listed.study_id,
          label: listed.name,
          description: `${listed.status} · seed ${listed.seed} · ${ago(listed.created_at)}`,
          keywords: [listed.study_id, listed.preset],
          onClick: () => go({ screen: 'study', study: listed.study_id }),
        })),
      },
    ],
    [study, studies, active, stop],
  )
  return (
    <Spotlight
      actions={actions}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      shortcut="mod + K"
      // While it fades it keeps the focus, and the next key would be typed into it.
      transitionProps={{ duration: 0 }}
      limit={60}
      highlightQuery
      nothingFound="Nothing by that name"
      scrollable
      maxHeight="min(520px, 70vh)"
      searchProps={{
        placeholder: 'Go to, start, open a study…',
        'aria-label': 'Search',
        leftSection: <Icon name="search" />,
      }}
    />
  )
}
