/**
 * Makes a base model from a recipe: corpus, tokenizer, weights, and the record of how. Same recipe, same kind of
 * processor, same files to the byte.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { writeFileAtomically, writeFolderAtomically } from '../checkpoint/atomic-write.ts'
import { writeHfFolder } from '../checkpoint/hf-write.ts'
import type { LearnedState } from '../checkpoint/learned-state.ts'
import { openTokenizer, type Tokenizer } from '../checkpoint/tokenizer.ts'
import { Model } from '../nn/model.ts'
import { FrozenWeights } from '../nn/weights.ts'
import { type Device, resolveDevice } from '../runtime/device.ts'
import { runtimeVersion } from '../runtime/session.ts'
import { initialWeights, untrainedBase } from './initial-weights.ts'
import { type OfficeDocument, officeDocuments, studyPrompts } from './office-corpus.ts'
import { documentIds, Pretraining } from './pretraining.ts'
import { chatFrame, qwen2TokenizerFiles, specialTokens, type TokenizerFiles } from './qwen2-tokenizer.ts'
import { officeTiny, type PretrainRecipe } from './recipe.ts'
import { trainBpe } from './train-bpe.ts'

export interface PretrainOptions {
  /** The folder to make; refused where it already holds something. */
  readonly out: string
  readonly threads: number
  /** Default: the recipe of the model that ships with the program. */
  readonly recipe?: PretrainRecipe
  readonly onProgress?: (progress: PretrainProgress) => void
  /** Checked between steps; nothing is written once it is aborted. */
  readonly signal?: AbortSignal
}

export interface PretrainProgress {
  /** Optimizer steps. */
  readonly done: number
  readonly total: number
  /** Mean negative log-likelihood of a token over the step's documents, in nats. */
  readonly loss: number
}

export interface PretrainResult {
  readonly dir: string
  readonly parameters: number
  readonly steps: number
  /** Tokens predicted, all steps together. */
  readonly tokens: number
  readonly finalLoss: number
  readonly seconds: number
  /** SHA-256 by file name. */
  readonly files: Readonly<Record<string, string>>
}

export const provenanceFile = 'provenance.json'

/** Trains on the CPU and writes a Hugging Face folder. Throws BadInput for an unusable `out`, and the signal's reason. */
export async function pretrain(options: PretrainOptions): Promise<PretrainResult> {
  const { out, threads, recipe = officeTiny, signal } = options
  const started = performance.now()
  const device = resolveDevice('cpu', threads)
  const files = trainTokenizer(recipe)
  const tokenizer = temporaryTokenizer(files)
  const trained = await train(recipe, tokenizer, files, device, options)
  signal?.throwIfAborted()
  const hashes = write(out, recipe, files, trained, device)
  return {
    dir: out,
    parameters: trained.state.data.length,
    steps: recipe.steps,
    tokens: trained.tokens,
    finalLoss: trained.loss,
    seconds: (performance.now() - started) / 1000,
    files: hashes,
  }
}

function trainTokenizer({ corpusSeed, tokenizerDocuments, model }: PretrainRecipe): TokenizerFiles {
  const documents = officeDocuments(corpusSeed)
  const texts = Array.from({ length: tokenizerDocuments }, () => documents.next().value).flatMap((document) =>
    document.kind === 'note' ? [document.text] : [...chatFrame, document.prompt, document.answer],
  )
  return qwen2TokenizerFiles(trainBpe(texts, model.vocabSize - specialTokens.length), model.maxPositions)
}

/** The tokenizer that every other stage opens, over files that are not in their place yet. */
function temporaryTokenizer({ files }: TokenizerFiles): Tokenizer {
  const dir = mkdtempSync(path.join(tmpdir(), 'recompense-tokenizer-'))
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(dir, name), content)
    return openTokenizer(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Trained {
  readonly state: LearnedState
  readonly tokens: number
  readonly loss: number
}

async function train(
  recipe: PretrainRecipe,
  tokenizer: Tokenizer,
  { turnEndId, endOfTextId }: TokenizerFiles,
  device: Device,
  { onProgress, signal }: PretrainOptions,
): Promise<Trained> {
  const base = untrainedBase(recipe.name, recipe.model, [turnEndId, endOfTextId])
  const model = new Model(new FrozenWeights(base), { device })
  const state = initialWeights(recipe.model, recipe.weightSeed, recipe.initialDeviation)
  const pretraining = new Pretraining(model, state, recipe)
  const documents = officeDocuments(recipe.corpusSeed)
  const excluded = studyPrompts()
  let [tokens, loss] = [0, Number.NaN]
  for (let done = 1; done <= recipe.steps; done++) {
    const rows = Array.from({ length: recipe.batchRows }, () => {
      const document = documents.next().value
      refuseStudyPrompt(document, excluded)
      return documentIds(document, tokenizer, endOfTextId)
    })
    loss = await pretraining.step(rows)
    tokens += rows.reduce((total, ids) => total + ids.length - 1, 0)
    onProgress?.({ done, total: recipe.steps, loss })
    // A run of the graph blocks the thread: let an interrupt in.
    await new Promise((resolve) => setImmediate(resolve))
    signal?.throwIfAborted()
  }
  return { state, tokens, loss }
}

function refuseStudyPrompt(document: OfficeDocument, excluded: ReadonlySet<string>): void {
  if (document.kind === 'chat' && excluded.has(document.prompt))
    throw new Error(`the pretraining corpus repeats a prompt of the study: ${document.prompt}`)
}

/** The folder appears whole: weights, tokenizer, and a record whose hashes cover them. */
function write(
  out: string,
  recipe: PretrainRecipe,
  { files, turnEndId, endOfTextId }: TokenizerFiles,
  { state, tokens, loss }: Trained,
  device: Device,
): Record<string, string> {
  const tensors = new Map(
    state.specs.map(({ name, offset, size }) => [name, state.data.subarray(offset, offset + size)]),
  )
  let hashes: Record<string, string> = {}
  writeFolderAtomically(out, (temporary) => {
    writeHfFolder(temporary, {
      config: recipe.model,
      tensors,
      dtype: 'F32',
      eosIds: [turnEndId, endOfTextId],
      padId: endOfTextId,
      bosId: endOfTextId,
      tokenizerFiles: files,
    })
    hashes = Object.fromEntries(
      readdirSync(temporary)
        .sort()
        .map((name) => [name, sha256(readFileSync(path.join(temporary, name)))]),
    )
    const provenance = {
      made_by: 'recompense model pretrain',
      recipe,
      parameters: state.data.length,
      tokens,
      final_loss: loss,
      computed_with: {
        onnxruntime: runtimeVersion(),
        architecture: process.arch,
        device: device.name,
      },
      files: hashes,
    }
    writeFileAtomically(path.join(temporary, provenanceFile), [Buffer.from(`${JSON.stringify(provenance, null, 2)}\n`)])
  })
  return hashes
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
