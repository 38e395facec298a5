/** Which models can be studied? */
import { ActionIcon, Button, Group, Table, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useAnswer } from '../bridge/index.ts'
import { exportableTable, TableHead } from '../charts/menu.ts'
import { Answered, Failure, Icon, PathField, Screen, Status, Wide } from '../parts/index.ts'
import { usePreferences } from '../settings/use-preferences.ts'
import { modelsTable, parameterWords } from './model-words.ts'

export default function ModelsScreen() {
  const models = useAnswer('models.list', {})
  const { preferences, save, problem } = usePreferences()
  const [folder, setFolder] = useState('')
  const folders = preferences?.model_folders ?? []
  const keep = (next: readonly string[]) => {
    if (preferences === undefined) return
    save({ ...preferences, model_folders: [...next] }).then(models.refresh, () => {})
  }
  return (
    <Screen title="Models" question="Which models can be studied?">
      <Answered answer={models}>
        {(listed) => (
          <>
            <TableHead exportable={exportableTable('models', modelsTable(listed))} />
            <Wide name="Models, table">
              <Table aria-label="Models" miw={520}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>model</Table.Th>
                    <Table.Th ta="right">size</Table.Th>
                    <Table.Th>usable</Table.Th>
                    <Table.Th>folder</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {listed.map((model) => (
                    <Table.Tr key={model.folder}>
                      <Table.Td fw={600}>{model.embedded ? 'Embedded model' : model.name}</Table.Td>
                      <Table.Td ta="right">{parameterWords(model.parameters)}</Table.Td>
                      <Table.Td>
                        <Status status={model.problem === null ? 'ok' : 'failed'} /> {model.problem}
                      </Table.Td>
                      <Table.Td>
                        <code style={{ overflowWrap: 'anywhere' }}>{model.folder}</code>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Wide>
          </>
        )}
      </Answered>
      <section style={{ marginTop: 28, maxWidth: 760 }}>
        <h2 style={{ fontSize: '1.05rem', margin: '0 0 4px' }}>Folders looked through</h2>
        <p style={{ color: 'var(--muted)', fontSize: '0.86rem', margin: '0 0 10px' }}>
          A folder that is a checkpoint, or that holds checkpoints: Hugging Face layout, Qwen2 architecture. Nothing is
          downloaded, copied or changed.
        </p>
        {problem !== undefined && <Failure title="It was not saved" message={problem} />}
        {folders.map((path) => (
          <Group key={path} gap="xs" py={3}>
            <code style={{ flex: 1, overflowWrap: 'anywhere' }}>{path}</code>
            <Tooltip label="Look there no more">
              <ActionIcon aria-label={`Remove ${path}`} onClick={() => keep(folders.filter((kept) => kept !== path))}>
                <Icon name="close" size={14} />
              </ActionIcon>
            </Tooltip>
          </Group>
        ))}
        <Group align="flex-end" mt="xs">
          <div style={{ flex: 1 }}>
            <PathField label="Another folder" what="folder" value={folder} onChange={setFolder} />
          </div>
          <Button
            disabled={folder.trim() === '' || folders.includes(folder.trim())}
            onClick={() => {
              keep([...folders, folder.trim()])
              setFolder('')
            }}
          >
            Add
          </Button>
        </Group>
      </section>
    </Screen>
  )
}
