/** What can I put in the paper? Sections to choose, the page as it will be, and the files to take away. */
import { Checkbox, Title } from '@mantine/core'
import { useDebouncedValue, useSessionStorage } from '@mantine/hooks'
import { useAnswer } from '../bridge/index.ts'
import { Answered, Failure, Loading, Screen } from '../parts/index.ts'
import { Link } from '../routes/index.ts'
import { chosenIds, type Outline, toggled } from './choice.ts'
import { Export } from './Export.tsx'
import classes from './reports.module.css'

export function ReportScreen({ studyId }: { readonly studyId: string }) {
  const outline = useAnswer('report.sections', { study_id: studyId })
  return (
    <Screen
      title="Report"
      question="What can I put in the paper?"
      actions={<Link to={{ screen: 'study', study: studyId }}>Its study</Link>}
    >
      <Answered answer={outline} what="Reading the study">
        {(sections) => <Composer studyId={studyId} outline={sections} />}
      </Answered>
    </Screen>
  )
}

function Composer({ studyId, outline }: { readonly studyId: string; readonly outline: Outline }) {
  const [without, leaveOut] = useSessionStorage<string[]>({
    key: `recompense.report.${studyId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const ids = chosenIds(outline, without)
  const sections = ids.length === outline.length ? undefined : ids
  return (
    <div className={classes.layout}>
      <div className={classes.side}>
        <section aria-labelledby="report-sections">
          <Title order={2} id="report-sections">
            Sections
          </Title>
          <ul className={classes.list}>
            {outline.map((section) => (
              <li key={section.id}>
                <Checkbox
                  size="xs"
                  label={
                    <>
                      {section.title} {section.required && <span className={classes.always}>always in</span>}
                    </>
                  }
                  checked={ids.includes(section.id)}
                  disabled={section.required}
                  onChange={(event) => leaveOut(toggled(without, section.id, event.currentTarget.checked))}
                />
              </li>
            ))}
          </ul>
          <p className={classes.note}>
            {ids.length} of {outline.length} sections. Where the numbers come from and what they do not show is part of
            every report.
          </p>
        </section>
        <Export studyId={studyId} sections={sections} />
      </div>
      <Preview studyId={studyId} sections={sections} />
    </div>
  )
}

function Preview({ studyId, sections }: { readonly studyId: string; readonly sections: string[] | undefined }) {
  const [asked] = useDebouncedValue(sections, 250)
  const preview = useAnswer('report.preview', {
    study_id: studyId,
    ...(asked === undefined ? {} : { sections: asked }),
  })
  return (
    <section aria-label="Preview">
      <div className={classes.previewHead}>
        <span>
          Preview, as the HTML report will be{preview.loading && preview.value !== undefined && '; renewing…'}
        </span>
      </div>
      {preview.error !== undefined && <Failure message={preview.error} retry={preview.refresh} />}
      {preview.value === undefined ? (
        preview.error === undefined && <Loading what="Writing the preview" />
      ) : (
        // Scripts, forms and links out of the frame are all off.
        <iframe className={classes.paper} title="Preview of the report" sandbox="" srcDoc={preview.value.html} />
      )}
    </section>
  )
}
