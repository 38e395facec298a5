/** Which base model: the embedded one, one of the model folders, or any folder. */
import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useAnswer } from '../bridge/index.ts'
import { modelLine } from '../models/model-words.ts'
import { Notice, PathField } from '../parts/index.ts'
import type { Draft } from './draft.ts'
import type { ChangeDraft } from './use-draft.ts'

const elsewhere = '(elsewhere)'

export function ModelChoice({ draft, change }: { readonly draft: Draft; readonly change: ChangeDraft }) {
  const { value: models = [], error } = useAnswer('models.list', {})
  const listed = draft.model === '' || models.some(({ folder }) => folder === draft.model)
  const [typing, setTyping] = useState(false)
  const folderOf = (model: (typeof models)[number]) => (model.embedded ? '' : model.folder)
  /** Learning rates fit a size of model: the preset follows it. */
  const choose = (folder: string) => change({ model: folder, preset: folder === '' ? 'embedded' : 'minimum' })
  const chosen = models.find((model) => folderOf(model) === draft.model)
  return (
    <>
      <NativeSelect
        label="Base model"
        description="Qwen2 architecture, a Hugging Face folder on this machine"
        value={typing || !listed ? elsewhere : draft.model}
        onChange={(event) => {
          const { value } = event.currentTarget
          setTyping(value === elsewhere)
          if (value !== elsewhere) choose(value)
        }}
        data={[
          ...models.map((model) => ({
            value: folderOf(model),
            label: model.problem === null ? modelLine(model) : `${modelLine(model)} (cannot be used)`,
          })),
          { value: elsewhere, label: 'Another folder…' },
        ]}
      />
      {(typing || !listed) && (
        <PathField label="Folder of the model" what="folder" value={draft.model} onChange={choose} />
      )}
      {chosen !== undefined && chosen.problem !== null && (
        <Notice tone="bad" title="This model cannot be used">
          {chosen.problem}
        </Notice>
      )}
      {error !== undefined && <Notice tone="warn">{error}</Notice>}
    </>
  )
}
