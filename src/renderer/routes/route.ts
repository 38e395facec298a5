/** Every place in the window as data, and its address (`#/study/…`). An address that names no place leads home. */
import { type CreditRoute, creditQuery, creditRouteOf } from './credit-route.ts'

export const wizardNames = ['data', 'sft', 'reward', 'ppo', 'group', 'dpo', 'probes', 'report'] as const
export type WizardName = (typeof wizardNames)[number]

/** Places that show one study; null where none is chosen yet. */
export const studyPlaces = ['samples', 'probes', 'reports'] as const
export type StudyPlace = (typeof studyPlaces)[number]
export const plainPlaces = ['studies', 'runs', 'data', 'models', 'settings', 'doctor'] as const
export type PlainPlace = (typeof plainPlaces)[number]

export type Route =
  | { readonly screen: PlainPlace }
  | { readonly screen: 'study'; readonly study: string }
  | { readonly screen: 'run'; readonly run: string }
  | { readonly screen: Exclude<StudyPlace, 'reports'>; readonly study: string | null }
  /** `at`: the section, figure or table that is shown. */
  | { readonly screen: 'reports'; readonly study: string | null; readonly at?: string }
  | { readonly screen: 'lattice'; readonly study: string; readonly rollout: string }
  | { readonly screen: 'compare'; readonly runs: readonly string[] }
  | CreditRoute
  /** `study`: where the wizard's first step looks for what is needed. */
  | { readonly screen: 'new'; readonly wizard: WizardName; readonly study: string | null }

export const home: Route = { screen: 'studies' }

function has<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name)
}

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [screen = '', first, second] = path.split('/').map(decoded)
  const asked = new URLSearchParams(query)
  if (has(plainPlaces, screen)) return { screen }
  if (screen === 'reports') return reportsRoute(first, asked.get('at'))
  if (has(studyPlaces, screen)) return { screen, study: first || null }
  switch (screen) {
    case 'study':
      return first ? { screen, study: first } : home
    case 'run':
      return first ? { screen, run: first } : { screen: 'runs' }
    case 'lattice':
      return first && second ? { screen, study: first, rollout: second } : { screen: 'samples', study: first || null }
    case 'compare':
      return { screen, runs: (asked.get('runs') ?? '').split(',').filter(Boolean) }
    case 'credit':
      return creditRouteOf(asked)
    case 'new':
      return has(wizardNames, first ?? '')
        ? { screen, wizard: first as WizardName, study: asked.get('study') || null }
        : home
    default:
      return home
  }
}

function reportsRoute(study: string | undefined, at: string | null): Route {
  return { screen: 'reports', study: study || null, ...(at ? { at } : {}) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function hashOf(route: Route): string {
  const parts: string[] = [route.screen]
  let query = ''
  switch (route.screen) {
    case 'run':
      parts.push(route.run)
      break
    case 'lattice':
      parts.push(route.study, route.rollout)
      break
    case 'reports':
      if (route.study !== null) parts.push(route.study)
      if (route.at !== undefined) query = `?at=${encodeURIComponent(route.at)}`
      break
    case 'compare':
      if (route.runs.length > 0) query = `?runs=${route.runs.map(encodeURIComponent).join(',')}`
      break
    case 'credit':
      query = creditQuery(route)
      break
    case 'new':
      parts.push(route.wizard)
      if (route.study !== null) query = `?study=${encodeURIComponent(route.study)}`
      break
    default:
      if ('study' in route && route.study !== null) parts.push(route.study)
  }
  return `#/${parts.map(encodeURIComponent).join('/')}${query}`
}

/** The study that a place is about, when its address says so. */
export const studyOf = (route: Route): string | null => ('study' in route ? route.study : null)

/** The place without what is chosen inside it: a screen stays as it is while only this stays the same. */
export const placeKey = (route: Route): string => hashOf(route).split('?')[0] ?? ''
