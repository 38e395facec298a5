/** What is in the report: sections to tick; an open one shows its figures and tables, each with its caption. */
import { ActionIcon, Button, Checkbox, Textarea, Title } from '@mantine/core'
import { useId } from 'react'
import { longestCaption } from '../../shared/caption-limit.ts'
import type { ReportChoice } from '../../shared/ipc.ts'
import { captioned, chosenIds, type Item, type Section, type Outline as Sections, toggled } from './choice.ts'
import classes from './reports.module.css'

interface Props {
  readonly outline: Sections
  readonly choice: ReportChoice
  readonly onChange: (part: Partial<ReportChoice>) => void
  readonly section: Section | null
  readonly item: Item | null
  /** A place by its id; null closes. */
  readonly onShow: (at: string | null) => void
}

export function Outline({ outline, choice, onChange, section, item, onShow }: Props) {
  const ids = chosenIds(outline, choice.left_out)
  return (
    <section aria-labelledby="report-sections">
      <Title order={2} id="report-sections">
        Sections
      </Title>
      <ul className={classes.list}>
        {outline.map((one) => {
          const open = one.id === section?.id
          return (
            <li key={one.id} aria-current={open ? 'true' : undefined} data-open={open}>
              <div className={classes.sectionRow}>
                <Checkbox
                  size="xs"
                  label={
                    <>
                      {one.title} {one.required && <span className={classes.always}>always in</span>}
                    </>
                  }
                  checked={ids.includes(one.id)}
                  disabled={one.required}
                  onChange={(event) =>
                    onChange({ left_out: toggled(choice.left_out, one.id, event.currentTarget.checked) })
                  }
                />
                <ActionIcon
                  size="sm"
                  aria-expanded={open}
                  aria-label={`Show ${one.title}, captions`}
                  onClick={() => onShow(open ? null : one.id)}
                >
                  <span aria-hidden="true">{open ? '▾' : '▸'}</span>
                </ActionIcon>
              </div>
              {open && (
                <Items items={one.items} shown={item} captions={choice.captions} onChange={onChange} onShow={onShow} />
              )}
            </li>
          )
        })}
      </ul>
      <p className={classes.note}>
        {ids.length} of {outline.length} sections. Where the numbers come from and what they do not show is part of
        every report.
      </p>
    </section>
  )
}

interface ItemsProps {
  readonly items: readonly Item[]
  readonly shown: Item | null
  readonly captions: ReportChoice['captions']
  readonly onChange: Props['onChange']
  readonly onShow: Props['onShow']
}

function Items({ items, shown, captions, onChange, onShow }: ItemsProps) {
  if (items.length === 0) return <p className={classes.note}>No figure or table.</p>
  return (
    <ul className={classes.items}>
      {items.map((item) => (
        <li key={item.id}>
          <button
            type="button"
            className={classes.item}
            aria-expanded={item.id === shown?.id}
            onClick={() => onShow(item.id)}
          >
            <span className={classes.kind}>{item.kind}</span> {item.title}
            {isOwn(captions[item.id]) && <span className={classes.own}> own caption</span>}
            {!item.printed && <span className={classes.always}> not on paper</span>}
          </button>
          {item.id === shown?.id && (
            <Caption
              item={item}
              own={captions[item.id]}
              onType={(text) => onChange({ captions: captioned(captions, item, text) })}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

const isOwn = (caption: string | undefined): boolean => caption !== undefined && caption.trim() !== ''

interface CaptionProps {
  readonly item: Item
  readonly own: string | undefined
  readonly onType: (text: string) => void
}

function Caption({ item, own, onType }: CaptionProps) {
  const id = useId()
  return (
    <div className={classes.caption}>
      <Textarea
        id={id}
        size="xs"
        label="Caption"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={longestCaption}
        placeholder={item.caption}
        value={own ?? item.caption}
        onChange={(event) => onType(event.currentTarget.value)}
      />
      {!isOwn(own) ? (
        <p className={classes.note}>Text only; it stands in every format.</p>
      ) : (
        <Button variant="default" mt={4} onClick={() => onType(item.caption)}>
          The report’s own
        </Button>
      )}
    </div>
  )
}
