/** A hash by its first twelve digits; a click copies all of it. */
import { CopyButton, Tooltip } from '@mantine/core'
import classes from './parts.module.css'

export function Hash({ value, of }: { readonly value: string; readonly of: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `SHA-256 of ${of}: ${value}`}>
          <button
            type="button"
            className={classes.hash}
            onClick={copy}
            aria-label={`${value.slice(0, 12)}, copy the SHA-256 of ${of}`}
          >
            {value.slice(0, 12)}
          </button>
        </Tooltip>
      )}
    </CopyButton>
  )
}
