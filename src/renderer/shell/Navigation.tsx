/** The sidebar: all studies, the study in view, this machine. */
import { useAnswer } from '../bridge/index.ts'
import { hashOf, useRoute } from '../routes/index.ts'
import { type Place, places } from './places.ts'
import classes from './shell.module.css'
import { useStudyInView } from './use-study-in-view.ts'

export function Navigation({ onMove }: { readonly onMove: () => void }) {
  const study = useStudyInView()
  const { value: info } = useAnswer('app.info', {})
  const group = (name: Place['group']) =>
    places
      .filter((place) => place.group === name)
      .map((place) => <NavigationLink key={place.name} place={place} study={study?.study_id ?? null} onMove={onMove} />)
  return (
    <nav className={classes.nav} aria-label="Main">
      {group('all')}
      <h2 title={study?.name}>{study === null ? 'Study' : study.name}</h2>
      {group('study')}
      <h2>This machine</h2>
      {group('machine')}
      <div className={classes.foot}>{info?.version}</div>
    </nav>
  )
}

interface LinkProps {
  readonly place: Place
  readonly study: string | null
  readonly onMove: () => void
}

function NavigationLink({ place, study, onMove }: LinkProps) {
  const here = useRoute()
  const to = place.to(study)
  if (to === null) return null
  const screen = here.screen === 'lattice' ? 'samples' : here.screen === 'run' ? 'runs' : here.screen
  const current = screen === to.screen && ('study' in here && 'study' in to ? here.study === to.study : true)
  return (
    <a
      className={classes.link}
      href={hashOf(to)}
      aria-label={place.name}
      aria-current={current ? 'page' : undefined}
      onClick={onMove}
    >
      {place.name}
      <kbd>g {place.key}</kbd>
    </a>
  )
}
