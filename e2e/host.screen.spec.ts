/** What every host owes the window: the same answers, from the same data folder. */
import { expect, test } from './fixtures.ts'

test('shows the studies of the data folder', async ({ window }) => {
  await expect(window.getByText(/office-help/).first()).toBeVisible()
})
