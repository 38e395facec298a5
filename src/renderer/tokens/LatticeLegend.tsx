/** What the colours mean: the ramp with its ends and its white written out. */
import { type ColourScale, cellColour, cellText, type ScaleKind } from './colour-scale.ts'
import classes from './tokens.module.css'

interface Props {
  readonly scale: ColourScale
  readonly quantity: string
  readonly kind: ScaleKind
}

export function LatticeLegend({ scale, quantity, kind }: Props) {
  const stops = scale.kind === 'diverging' ? [-1, 0, 1] : [-1, 0]
  const ramp = `linear-gradient(to right, ${stops.map(cellColour).join(', ')})`
  return (
    <div className={classes.legend}>
      <b>{quantity}</b>
      <span>{cellText(scale.low, kind, scale.high)}</span>
      <span className={classes.ramp} style={{ background: ramp }} aria-hidden="true" />
      <span>{cellText(scale.high, kind, scale.high)}</span>
      <span>
        no colour at {scale.zero}
        {scale.kind === 'diverging' ? ', blue below, red above' : ', deeper is less likely'}
        {kind === 'ratio' ? ', by logarithm' : ''}
      </span>
    </div>
  )
}
