/** Which screen stands at which place; each is loaded when it is first opened. */
import { type ComponentType, lazy, Suspense } from 'react'
import { EmptyState, Loading, Screen } from '../parts/index.ts'
import type { Route } from '../routes/index.ts'
import { ChooseStudy } from './ChooseStudy.tsx'

const folders = import.meta.glob('../{run,samples,tokens,probes,compare,reports}/index.ts')

function screenFrom<P>(folder: string, name: string) {
  return lazy(async () => {
    const found = (await folders[`../${folder}/index.ts`]?.()) as Record<string, ComponentType<P>> | undefined
    return { default: found?.[name] ?? (Missing as ComponentType<P>) }
  })
}

const RunScreen = screenFrom<{ runId: string }>('run', 'RunScreen')
const SamplesPanel = screenFrom<{ studyId: string }>('samples', 'SamplesPanel')
const LatticePanel = screenFrom<{ studyId: string; rolloutId: string }>('tokens', 'LatticePanel')
const ProbesScreen = screenFrom<{ studyId: string }>('probes', 'ProbesScreen')
const CompareScreen = screenFrom<{ runIds: readonly string[] }>('compare', 'CompareScreen')
const ReportScreen = screenFrom<{ studyId: string }>('reports', 'ReportScreen')
const StudiesScreen = lazy(() => import('../home/StudiesScreen.tsx'))
const RunsScreen = lazy(() => import('../home/RunsScreen.tsx'))
const StudyScreen = lazy(() => import('../study/StudyScreen.tsx'))
const WizardScreen = lazy(() => import('../wizard/WizardScreen.tsx'))
const DataScreen = lazy(() => import('../data/DataScreen.tsx'))
const ModelsScreen = lazy(() => import('../models/ModelsScreen.tsx'))
const SettingsScreen = lazy(() => import('../settings/SettingsScreen.tsx'))
const DoctorScreen = lazy(() => import('../doctor/DoctorScreen.tsx'))

export function ScreenOf({ route }: { readonly route: Route }) {
  return (
    <Suspense fallback={<Loading what="Opening" />}>
      <Chosen route={route} />
    </Suspense>
  )
}

function Chosen({ route }: { readonly route: Route }) {
  switch (route.screen) {
    case 'studies':
      return <StudiesScreen />
    case 'runs':
      return <RunsScreen />
    case 'study':
      return <StudyScreen studyId={route.study} />
    case 'run':
      return <RunScreen runId={route.run} />
    case 'samples':
      return route.study === null ? <ChooseStudy screen="samples" /> : <SamplesPanel studyId={route.study} />
    case 'lattice':
      return <LatticePanel studyId={route.study} rolloutId={route.rollout} />
    case 'probes':
      return route.study === null ? <ChooseStudy screen="probes" /> : <ProbesScreen studyId={route.study} />
    case 'reports':
      return route.study === null ? <ChooseStudy screen="reports" /> : <ReportScreen studyId={route.study} />
    case 'compare':
      return <CompareScreen runIds={route.runs} />
    case 'data':
      return <DataScreen />
    case 'models':
      return <ModelsScreen />
    case 'settings':
      return <SettingsScreen />
    case 'doctor':
      return <DoctorScreen />
    case 'new':
      return <WizardScreen wizard={route.wizard} study={route.study} />
  }
}

function Missing() {
  return (
    <Screen title="Not here">
      <EmptyState title="This screen is not part of this build" />
    </Screen>
  )
}
