/** The files of the report: formats, where they go, and what was written. */
import { Anchor, Button, Checkbox, Group, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import type { Answers, RequestParameters } from '../../shared/ipc.ts'
import { ask, useAnswer, useWorkbench, wordsOf } from '../bridge/index.ts'
import { Failure } from '../parts/index.ts'
import { bytes, counted } from '../words/index.ts'
import { fileName, folderOf, type Shown } from './choice.ts'
import classes from './reports.module.css'

type Format = RequestParameters<'report.export'>['formats'][number]

const formats: readonly { readonly value: Format; readonly label: string; readonly note: string }[] = [
  { value: 'html', label: 'HTML', note: 'one page, opens anywhere' },
  { value: 'pdf', label: 'PDF', note: 'as printed, vector figures' },
  { value: 'latex', label: 'LaTeX', note: 'booktabs tables, figures beside it' },
  { value: 'svg', label: 'SVG', note: 'every figure and table, also as PDF' },
  { value: 'csv', label: 'CSV', note: 'every table and curve' },
  { value: 'json', label: 'JSON', note: 'all numbers, exact' },
]

export function Export({ studyId, shown }: { readonly studyId: string; readonly shown: Shown }) {
  const { bridge } = useWorkbench()
  const info = useAnswer('app.info', {}).value
  const [chosen, choose] = useState<readonly string[]>(['html', 'pdf'])
  const [folder, setFolder] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [files, setFiles] = useState<Answers['report.export']['files'] | null>(null)
  const write = async () => {
    setBusy(true)
    setProblem(null)
    try {
      const answer = await ask(bridge, 'report.export', {
        study_id: studyId,
        formats: formats.map(({ value }) => value).filter((value) => chosen.includes(value)),
        ...shown,
        ...(folder.trim() === '' ? {} : { out: folder.trim() }),
      })
      setFiles(answer.files)
    } catch (error) {
      setProblem(wordsOf(error))
    }
    setBusy(false)
  }
  const pick = async () => {
    const picked = await ask(bridge, 'files.pick', { what: 'new-folder', title: 'Folder for the report' })
    if (picked !== null) setFolder(picked.path)
  }
  return (
    <section aria-labelledby="report-files">
      <Title order={2} id="report-files">
        Files
      </Title>
      <Checkbox.Group value={[...chosen]} onChange={choose} aria-label="Formats">
        <ul className={classes.list}>
          {formats.map((format) => (
            <li key={format.value}>
              <Checkbox
                size="xs"
                value={format.value}
                label={
                  <>
                    {format.label} <span className={classes.always}>{format.note}</span>
                  </>
                }
              />
            </li>
          ))}
        </ul>
      </Checkbox.Group>
      <Group gap="xs" mt="sm" align="end" wrap="nowrap">
        <TextInput
          label="Folder"
          placeholder="the study’s own"
          value={folder}
          onChange={(event) => setFolder(event.currentTarget.value)}
          style={{ flex: 1 }}
        />
        {info?.host === 'electron' && (
          <Button variant="default" onClick={pick}>
            Choose…
          </Button>
        )}
      </Group>
      <Button mt="sm" fullWidth loading={busy} disabled={chosen.length === 0} onClick={write}>
        Write the report
      </Button>
      <div role="status">{files !== null && !busy && problem === null && <Written files={files} />}</div>
      {problem !== null && <Failure title="The report was not written" message={problem} retry={write} />}
    </section>
  )
}

function Written({ files }: { readonly files: Answers['report.export']['files'] }) {
  const folder = files[0] === undefined ? '' : folderOf(files[0].path)
  return (
    <>
      <p className={classes.note}>
        {counted(files.length, 'file')} written{folder !== '' && <> in {folder}</>}
      </p>
      <ul className={classes.files}>
        {files.map((file) => (
          <li key={file.path}>
            {file.url === null ? (
              <span title={file.path}>{fileName(file.path)}</span>
            ) : (
              <Anchor href={file.url} target="_blank" rel="noreferrer" title={file.path}>
                {fileName(file.path)}
              </Anchor>
            )}
            <span className={classes.size}>{bytes(file.bytes)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
