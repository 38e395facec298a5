/** Says that the workbench cannot be reached, and that nothing is lost by it. */
import { useConnected } from '../bridge/index.ts'
import { Notice } from '../parts/index.ts'
import classes from './shell.module.css'

export function ConnectionBanner() {
  if (useConnected()) return null
  return (
    <div className={classes.banner}>
      <Notice tone="warn" title="The connection to the workbench is lost.">
        What runs there goes on. This window connects again by itself; if the program was ended, start it again and open
        the address that it prints.
      </Notice>
    </div>
  )
}
