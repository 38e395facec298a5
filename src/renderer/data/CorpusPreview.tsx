/** The corpus of a seed before anything is learned from it: its audit and every row. */
import { Tabs } from '@mantine/core'
import { useMemo } from 'react'
import type { CorpusPreview as Preview } from '../../shared/ipc.ts'
import { useAnswer } from '../bridge/index.ts'
import { exportableTable, TableHead } from '../charts/menu.ts'
import { Answered } from '../parts/index.ts'
import { count } from '../words/index.ts'
import { auditLines, auditTable } from './audit-words.ts'
import classes from './data.module.css'
import { RowList, type TextRow } from './RowList.tsx'

export function CorpusPreview({ seed }: { readonly seed: number }) {
  const preview = useAnswer('corpus.preview', { seed })
  return (
    <Answered answer={preview} what="Generating the corpus">
      {(corpus) => <PreviewTabs corpus={corpus} />}
    </Answered>
  )
}

function PreviewTabs({ corpus }: { readonly corpus: Preview }) {
  const lists = useMemo(() => listsOf(corpus), [corpus])
  return (
    <Tabs defaultValue="audit" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="audit">Audit</Tabs.Tab>
        {lists.map(({ name, rows }) => (
          <Tabs.Tab key={name} value={name}>
            {name} ({count(rows.length)})
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="audit">
        <TableHead exportable={exportableTable('corpus-audit', auditTable(corpus.audit))} />
        <table className={classes.audit} aria-label="Audit">
          <tbody>
            {auditLines(corpus.audit).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Tabs.Panel>
      {lists.map(({ name, rows }) => (
        <Tabs.Panel key={name} value={name}>
          <RowList name={name} rows={rows} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function listsOf(corpus: Preview): readonly { readonly name: string; readonly rows: readonly TextRow[] }[] {
  const row = (id: string, parts: Readonly<Record<string, string>>): TextRow => ({
    id,
    parts: Object.entries(parts).map(([name, text]) => ({ name, text })),
  })
  return [
    {
      name: 'Pairs',
      rows: corpus.pairs.map(({ id, split, prompt, chosen, rejected }) => row(id, { split, prompt, chosen, rejected })),
    },
    {
      name: 'Demonstrations',
      rows: corpus.demonstrations.map(({ id, prompt, completion }) => row(id, { prompt, completion })),
    },
    { name: 'Prompts', rows: corpus.prompts.map(({ id, prompt }) => row(id, { prompt })) },
    { name: 'Probes', rows: corpus.probes.map(({ id, prompt, candidate }) => row(id, { prompt, candidate })) },
  ]
}
