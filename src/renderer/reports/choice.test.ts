import { expect, it } from 'vitest'
import { chosenIds, fileName, folderOf, type Outline, toggled } from './choice.ts'

const outline: Outline = [
  { id: 'headline', title: 'Headline', required: false },
  { id: 'ppo', title: 'PPO', required: false },
  { id: 'provenance', title: 'Provenance', required: true },
]

it('keeps what is required whatever was ticked', () => {
  expect(chosenIds(outline, ['ppo', 'provenance', 'gone'])).toEqual(['headline', 'provenance'])
  expect(chosenIds(outline, [])).toHaveLength(3)
})

it('ticks and unticks', () => {
  expect(toggled([], 'ppo', false)).toEqual(['ppo'])
  expect(toggled(['ppo'], 'ppo', true)).toEqual([])
  expect(toggled(['ppo'], 'ppo', false)).toEqual(['ppo'])
})

it('knows the names of files of either kind of system', () => {
  expect([fileName('/a/b.html'), fileName('C:\\a\\b.pdf')]).toEqual(['b.html', 'b.pdf'])
  expect(folderOf('/a/b.html')).toBe('/a')
})
