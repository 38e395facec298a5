/** What the colours mean: the ramp with its ends and its white written out. */
import { type ColourScale, cellColour, cellText } from './colour-scale.ts'
import type { Quantity } from './token-numbers.ts'
import classes from './tokens.module.css'

export function LatticeLegend({ scale, quantity }: { readonly scale: ColourScale; readonly quantity: Quantity }) {
  const stops = scale.kind === 'diverging' ? [-1, 0, 1] : [-1, 0]
  const ramp = `linear-gradient(to right, ${stops.map(cellColour).join(', ')})`
  return (
    <div className={classes.legend}>
      <b>{quantity}</b>
      <span>{cellText(scale.low, quantity)}</span>
      <span className={classes.ramp} style={{ background: ramp }} aria-hidden="true" />
      <span>{cellText(scale.high, quantity)}</span>
      <span>
        no colour at {scale.zero}
        {scale.kind === 'diverging' ? ', blue below, red above' : ', deeper is less likely'}
        {quantity === 'ratio' ? ', by logarithm' : ''}
      </span>
    </div>
  )
}
