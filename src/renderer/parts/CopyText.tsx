/** A button that copies a text and says that it did. */
import { Button, CopyButton } from '@mantine/core'
import { Icon } from './Icon.tsx'

export function CopyText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="compact-xs"
          onClick={copy}
          disabled={text === ''}
          leftSection={<Icon name="copy" size={12} />}
        >
          <span aria-live="polite">{copied ? 'Copied' : label}</span>
        </Button>
      )}
    </CopyButton>
  )
}
