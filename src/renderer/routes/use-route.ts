/** Where the window is, and how to go elsewhere. The address is the only state: reload and back work by themselves. */
import { useMemo, useSyncExternalStore } from 'react'
import { hashOf, type Route, routeOf } from './route.ts'

function watch(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(watch, () => window.location.hash)
  return useMemo(() => routeOf(hash), [hash])
}

export function go(route: Route): void {
  window.location.hash = hashOf(route)
}

/** As `go`, without an entry in the history: for filters and tabs. */
export function replace(route: Route): void {
  window.history.replaceState(null, '', hashOf(route))
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}
