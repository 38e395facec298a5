import { describe, expect, it } from 'vitest'
import { captioned, chosenIds, fileName, folderOf, type Outline, placeIn, shownBy, toggled } from './choice.ts'

const figure = { id: 'figure-ppo-reward', kind: 'figure', title: 'Reward', caption: 'Rising.', printed: true } as const
const outline: Outline = [
  { id: 'headline', title: 'Headline', required: false, items: [] },
  { id: 'ppo', title: 'PPO', required: false, items: [figure] },
  { id: 'provenance', title: 'Provenance', required: true, items: [] },
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

describe('what is asked for', () => {
  it('says only what was chosen', () => {
    expect(shownBy(outline, { left_out: [], figure_width: null, captions: {} })).toEqual({})
    expect(
      shownBy(outline, { left_out: ['ppo'], figure_width: 'single', captions: { 'figure-ppo-reward': 'Mine' } }),
    ).toEqual({
      sections: ['headline', 'provenance'],
      figure_width: 'single',
      captions: { 'figure-ppo-reward': 'Mine' },
    })
  })

  it('leaves out captions that are blank or of figures the report no longer has', () => {
    const captions = { gone: 'x', 'figure-ppo-reward': '  ' }
    expect(shownBy(outline, { left_out: [], figure_width: null, captions })).toEqual({})
  })
})

it('a caption typed back to the report’s own is none of one’s own', () => {
  expect(captioned({}, figure, 'Mine')).toEqual({ 'figure-ppo-reward': 'Mine' })
  expect(captioned({ 'figure-ppo-reward': 'Mine', other: 'x' }, figure, '')).toEqual({
    'figure-ppo-reward': '',
    other: 'x',
  })
  expect(captioned({ 'figure-ppo-reward': 'Mine' }, figure, 'Rising.')).toEqual({})
})

it('finds the section of a section, figure or table', () => {
  expect(placeIn(outline, 'headline')).toEqual({ section: outline[0], item: null })
  expect(placeIn(outline, 'figure-ppo-reward')).toEqual({ section: outline[1], item: figure })
  expect([placeIn(outline, 'nowhere'), placeIn(outline, null)]).toEqual([null, null])
})

it('knows the names of files of either kind of system', () => {
  expect([fileName('/a/b.html'), fileName('C:\\a\\b.pdf')]).toEqual(['b.html', 'b.pdf'])
  expect(folderOf('/a/b.html')).toBe('/a')
})
