/** The window's keys, and the overlay that lists them (`?`). */
import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import { useEffect, useRef } from 'react'
import { go } from '../routes/index.ts'
import { type KeyActions, keySequences } from './key-sequences.ts'
import { useSingleKeys } from './local-settings.ts'
import { places } from './places.ts'
import classes from './shell.module.css'
import { useStudyInView } from './use-study-in-view.ts'

export function Keys() {
  const study = useStudyInView()?.study_id ?? null
  const [singleKeys] = useSingleKeys()
  const [help, { open, close }] = useDisclosure()
  const actions: Record<string, () => void> = {
    '?': open,
    n: () => go({ screen: 'new', wizard: 'data', study: null }),
  }
  for (const place of places) {
    const to = place.to(study)
    if (to !== null) actions[`g ${place.key}`] = () => go(to)
  }
  // Renders come and go between the two keys of a sequence; what was begun must outlive them.
  const latest = useRef<KeyActions>(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    if (!singleKeys) return
    const take = keySequences(() => latest.current)
    const listener = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && take(event)) event.preventDefault()
    }
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [singleKeys])
  return (
    <Modal opened={help} onClose={close} title="Keys" size="md">
      <dl className={classes.keys}>
        <Key keys={['⌘', 'K']} or={['Ctrl', 'K']}>
          Go anywhere, do anything
        </Key>
        <Key keys={['/']}>Filter the list in view</Key>
        <Key keys={['j']} or={['k']}>
          Next row, previous row
        </Key>
        <Key keys={['Enter']}>Open the row</Key>
        <Key keys={['n']}>New study</Key>
        <Key keys={['?']}>This list</Key>
        <h3>Go to</h3>
        {places.map((place) => (
          <Key key={place.name} keys={['g', place.key]}>
            {place.name}
          </Key>
        ))}
      </dl>
    </Modal>
  )
}

export const openPalette = () => spotlight.open()

function Key({
  keys,
  or,
  children,
}: {
  readonly keys: readonly string[]
  readonly or?: readonly string[]
  readonly children: string
}) {
  return (
    <>
      <dt>
        <Caps keys={keys} />
        {or !== undefined && (
          <>
            {' or '}
            <Caps keys={or} />
          </>
        )}
      </dt>
      <dd>{children}</dd>
    </>
  )
}

function Caps({ keys }: { readonly keys: readonly string[] }) {
  return keys.map((key) => (
    <kbd key={key} className={classes.cap}>
      {key}
    </kbd>
  ))
}
