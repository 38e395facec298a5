/** A workbench over the fake stage process, for tests: a base folder, a quick configuration, a report of one line. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minimumPreset, type StudyConfig } from '../../shared/training-config.ts'
import type { FakePlan } from '../jobs/fake-stage.ts'
import { ForkStageHost } from '../jobs/fork-stage-host.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

const entry = fileURLToPath(new URL('../jobs/fake-stage.ts', import.meta.url))

export const quickConfig: StudyConfig = {
  ...minimumPreset,
  name: 'quick',
  accumulation_examples: 84,
  sft_epochs: 2,
  reward_epochs: 2,
  rollout_iterations: 4,
  interrupt_iteration: 2,
}

export interface FakeBench {
  readonly root: string
  readonly home: string
  readonly model: string
  /** Tells the stage process how to behave from now on. */
  plan(content: FakePlan): void
  open(): Workbench
}

export function fakeBench(): FakeBench {
  const root = mkdtempSync(join(tmpdir(), 'bench-'))
  const [home, model] = [join(root, 'home'), join(root, 'model')]
  mkdirSync(model)
  const shape = { hidden_size: 8, intermediate_size: 16, num_hidden_layers: 1, num_attention_heads: 2 }
  writeFileSync(join(model, 'config.json'), JSON.stringify(shape))
  writeFileSync(join(model, 'model.safetensors'), 'weights')
  return {
    root,
    home,
    model,
    plan: (content) => writeFileSync(join(model, 'fake.json'), JSON.stringify(content)),
    open: () => openFake(home),
  }
}

export function openFake(home: string): Workbench {
  return openWorkbench({
    home,
    codeVersion: '0.0.0-test',
    stageHost: (places) => new ForkStageHost({ entry, places }),
    writeReport: async (document, { formats, out }) => {
      mkdirSync(out, { recursive: true })
      const files = formats.map((format) => join(out, `report.${format}`))
      for (const file of files) writeFileSync(file, `${document.study_id} ${document.status}`)
      return { files }
    },
  })
}
