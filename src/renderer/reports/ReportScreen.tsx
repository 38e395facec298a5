/** What can I put in the paper? Sections, captions and widths to choose, the page as it prints, the files to take away. */
import { useAnswer } from '../bridge/index.ts'
import { Answered, Failure, Loading, Notice, Screen } from '../parts/index.ts'
import { Link, replace } from '../routes/index.ts'
import { placeIn, type Outline as Sections, shownBy, toggled } from './choice.ts'
import { Export } from './Export.tsx'
import { FigureWidth } from './FigureWidth.tsx'
import { Outline } from './Outline.tsx'
import { Preview } from './Preview.tsx'
import classes from './reports.module.css'
import { useReportChoice } from './use-report-choice.ts'

interface Props {
  readonly studyId: string
  /** The section, figure or table to show. */
  readonly at: string | null
}

export function ReportScreen({ studyId, at }: Props) {
  const outline = useAnswer('report.sections', { study_id: studyId })
  return (
    <Screen
      title="Report"
      question="What can I put in the paper?"
      actions={<Link to={{ screen: 'study', study: studyId }}>Its study</Link>}
    >
      <Answered answer={outline} what="Reading the study">
        {(sections) => <Composer key={studyId} studyId={studyId} outline={sections} at={at} />}
      </Answered>
    </Screen>
  )
}

function Composer({ studyId, outline, at }: Props & { readonly outline: Sections }) {
  const { choice, change, warning, problem, retry } = useReportChoice(studyId)
  if (choice === undefined) {
    return problem === null ? <Loading what="Reading the choice" /> : <Failure message={problem} retry={retry} />
  }
  const place = placeIn(outline, at)
  const section = place?.section ?? null
  const leftOut = section !== null && !section.required && choice.left_out.includes(section.id)
  const shown = shownBy(outline, choice)
  const show = (to: string | null) => replace({ screen: 'reports', study: studyId, ...(to === null ? {} : { at: to }) })
  return (
    <>
      {warning !== null && <Notice tone="warn" title={warning} />}
      {problem !== null && <Failure title="The choice was not kept" message={problem} />}
      <div className={classes.layout}>
        <div className={classes.side}>
          <Outline
            outline={outline}
            choice={choice}
            onChange={change}
            section={section}
            item={place?.item ?? null}
            onShow={show}
          />
          <FigureWidth width={choice.figure_width} onChange={(figure_width) => change({ figure_width })} />
          <Export studyId={studyId} shown={shown} />
        </div>
        <Preview
          studyId={studyId}
          shown={shown}
          place={place}
          leftOut={leftOut}
          onPutIn={() => section !== null && change({ left_out: toggled(choice.left_out, section.id, true) })}
        />
      </div>
    </>
  )
}
