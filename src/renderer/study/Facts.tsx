/** What a study was made from, each with its hash, and which settings differ from its preset. */

import type { StudyDocument } from '../../shared/study-document.ts'
import { embeddedPreset, minimumPreset, type StudyConfig } from '../../shared/training-config.ts'
import { modelName } from '../home/run-words.ts'
import { Hash } from '../parts/index.ts'
import { moment, setting } from '../words/index.ts'
import classes from './study.module.css'

const presets: Readonly<Record<string, StudyConfig>> = { embedded: embeddedPreset, minimum: minimumPreset }

export function Facts({ study }: { readonly study: StudyDocument }) {
  const presetName = Object.hasOwn(presets, study.preset) ? study.preset : 'minimum'
  const preset = presets[presetName] ?? minimumPreset
  const changed = (Object.keys(study.config) as (keyof StudyConfig)[]).filter(
    (key) => key !== 'name' && study.config[key] !== preset[key],
  )
  return (
    <dl className={classes.facts}>
      <dt>id</dt>
      <dd>
        <code>{study.study_id}</code>
      </dd>
      <dt>model</dt>
      <dd title={study.model.folder}>
        {modelName(study.model.folder)}{' '}
        {study.model.base_sha256 !== null && <Hash value={study.model.base_sha256} of="the base model" />}
      </dd>
      <dt>data</dt>
      <dd>
        {study.corpus === null ? 'not yet' : <Hash value={study.corpus.manifest_sha256} of="the corpus manifest" />}
      </dd>
      <dt>settings</dt>
      <dd>
        {study.preset} <Hash value={study.config_sha256} of="the settings" />
      </dd>
      {changed.map((key) => (
        <Changed key={key} name={key} value={study.config[key]} preset={`${setting(preset[key])} (${presetName})`} />
      ))}
      <dt>device</dt>
      <dd>
        {study.device}, {study.threads} {study.threads === 1 ? 'thread' : 'threads'}
      </dd>
      <dt>program</dt>
      <dd>{study.code_version}</dd>
      <dt>begun</dt>
      <dd>{moment(study.created_at)}</dd>
      {study.finished_at !== null && (
        <>
          <dt>finished</dt>
          <dd>{moment(study.finished_at)}</dd>
        </>
      )}
    </dl>
  )
}

function Changed({ name, value, preset }: { readonly name: string; readonly value: unknown; readonly preset: string }) {
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        {setting(value)} <span className={classes.of}>instead of {preset}</span>
      </dd>
    </>
  )
}
