/** Which screen stands at which place; each is loaded when it is first opened. */
import { lazy, Suspense } from 'react'
import { Loading } from '../parts/index.ts'
import type { Route } from '../routes/index.ts'
import { ChooseStudy } from './ChooseStudy.tsx'

const RunScreen = lazy(async () => ({ default: (await import('../run/index.ts')).RunScreen }))
const SamplesPanel = lazy(async () => ({ default: (await import('../samples/index.ts')).SamplesPanel }))
const LatticePanel = lazy(async () => ({ default: (await import('../tokens/index.ts')).LatticePanel }))
const ProbesScreen = lazy(async () => ({ default: (await import('../probes/index.ts')).ProbesScreen }))
const CompareScreen = lazy(async () => ({ default: (await import('../compare/index.ts')).CompareScreen }))
const CreditScreen = lazy(async () => ({ default: (await import('../credit/index.ts')).CreditScreen }))
const ReportScreen = lazy(async () => ({ default: (await import('../reports/index.ts')).ReportScreen }))
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
      return route.study === null ? (
        <ChooseStudy screen="reports" />
      ) : (
        <ReportScreen studyId={route.study} at={route.at ?? null} />
      )
    case 'compare':
      return <CompareScreen runIds={route.runs} />
    case 'credit':
      return <CreditScreen route={route} />
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
