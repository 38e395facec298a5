import { expect, it } from 'vitest'
import { type KeyActions, keySequences, sequenceGap } from './key-sequences.ts'

function harness() {
  const done: string[] = []
  let time = 0
  const act = (name: string) => () => done.push(name)
  let actions: KeyActions = { 'g s': act('studies'), 'g r': act('runs'), '/': act('filter'), r: act('refresh') }
  const take = keySequences(
    () => actions,
    () => time,
  )
  const press = (key: string, more: Partial<Parameters<typeof take>[0]> = {}) =>
    take({ key, ctrlKey: false, metaKey: false, altKey: false, target: null, ...more })
  return {
    done,
    press,
    wait: (milliseconds: number) => {
      time += milliseconds
    },
    change: (more: Readonly<Record<string, string>>) => {
      actions = { ...actions, ...Object.fromEntries(Object.entries(more).map(([keys, name]) => [keys, act(name)])) }
    },
  }
}

it('runs one-key and two-key actions', () => {
  const { done, press } = harness()
  press('/')
  press('g')
  press('s')
  press('g')
  press('r')
  press('r')
  expect(done).toEqual(['filter', 'studies', 'runs', 'refresh'])
})

it('forgets the first key after a while or after a key that leads nowhere', () => {
  const { done, press, wait } = harness()
  press('g')
  wait(sequenceGap + 1)
  press('s')
  press('g')
  press('x')
  press('s')
  expect(done).toEqual([])
})

it('goes on with a sequence when the study in view changes between its keys', () => {
  const { done, press, change } = harness()
  press('g')
  change({ 'g p': 'probes of the new study' })
  press('p')
  expect(done).toEqual(['probes of the new study'])
})

it('leaves keys with a modifier alone', () => {
  const { done, press } = harness()
  expect(press('/', { ctrlKey: true })).toBe(false)
  expect(done).toEqual([])
})
