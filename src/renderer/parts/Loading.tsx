/** Shown only when an answer takes longer than a blink. */
import { Group, Loader, Text } from '@mantine/core'
import classes from './parts.module.css'

export function Loading({ what = 'Reading' }: { readonly what?: string }) {
  return (
    <Group gap="xs" className={classes.late} role="status" py="md">
      <Loader size="xs" aria-hidden="true" />
      <Text c="dimmed">{what}…</Text>
    </Group>
  )
}
