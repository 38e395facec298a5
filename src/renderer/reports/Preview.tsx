/** The report on paper, in light and dark alike, scrolled to the place that is chosen. */
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { useAnswer } from '../bridge/index.ts'
import { Failure, Loading } from '../parts/index.ts'
import type { Item, Section, Shown } from './choice.ts'
import classes from './reports.module.css'

interface Props {
  readonly studyId: string
  readonly shown: Shown
  readonly place: { readonly section: Section; readonly item: Item | null } | null
  /** The chosen section is not in the report. */
  readonly leftOut: boolean
  readonly onPutIn: () => void
}

export function Preview({ studyId, shown, place, leftOut, onPutIn }: Props) {
  const [asked] = useDebouncedValue(shown, 300)
  const preview = useAnswer('report.preview', { study_id: studyId, ...asked })
  return (
    <section aria-label="Preview" className={classes.preview}>
      <div className={classes.previewHead}>
        <span>Preview, as it prints{preview.loading && preview.value !== undefined && '; renewing…'}</span>
        {leftOut && (
          <span className={classes.leftOut}>
            {place?.section.title} is left out. <Button onClick={onPutIn}>Put it in</Button>
          </span>
        )}
      </div>
      {preview.error !== undefined && <Failure message={preview.error} retry={preview.refresh} />}
      {preview.value === undefined ? (
        preview.error === undefined && <Loading what="Writing the preview" />
      ) : (
        <Paper html={preview.value.html} places={place === null ? [] : placesOf(place)} />
      )}
    </section>
  )
}

/** Pixels of paper left above what is shown. */
const headroom = 40

/** The figure or table; its section where paper does not show it. */
const placesOf = ({ section, item }: NonNullable<Props['place']>): string[] =>
  item === null ? [section.id] : [item.id, section.id]

function Paper({ html, places }: { readonly html: string; readonly places: readonly string[] }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const top = useRef(0)
  const marked = useRef<HTMLElement | null>(null)
  const wanted = places.join(' ')
  const show = () => {
    const page = frame.current?.contentDocument
    if (page == null) return
    if (marked.current !== null) marked.current.style.outline = ''
    const found = wanted.split(' ').map((id) => (id === '' ? null : page.getElementById(id)))
    const target = found.find((element) => element?.checkVisibility() === true) ?? null
    marked.current = target
    if (target === null) return
    // Of the frame alone: the window around it stays where it is.
    const view = frame.current?.contentWindow
    view?.scrollTo({ top: view.scrollY + target.getBoundingClientRect().top - headroom })
    if (target.tagName === 'SECTION') return
    target.style.outline = '2px solid #1d4ed8'
    target.style.outlineOffset = '6px'
  }
  const latest = useRef(show)
  useEffect(() => {
    latest.current = show
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is shown at once, without a new page
  useEffect(() => latest.current(), [wanted])
  const loaded = () => {
    const view = frame.current?.contentWindow
    if (view == null) return
    // A new page of the same report stays where it was read.
    view.scrollTo({ top: top.current })
    view.addEventListener('scroll', () => {
      top.current = view.scrollY
    })
    latest.current()
  }
  return (
    // No scripts, forms or ways out. Its own origin is the window's only so that the window can scroll it.
    <iframe
      ref={frame}
      className={classes.paper}
      title="Preview of the report"
      sandbox="allow-same-origin"
      srcDoc={html}
      onLoad={loaded}
    />
  )
}
