/** Audits that the run made of itself while it learned: one update at a time, at the policy just before its step. */
import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { decimal, significant } from '../../../main/report/number-text.ts'
import { counted, measured, precise, type Table } from '../../../main/report/section.ts'
import { objectiveWords, runReduction } from '../../../shared/audit-defaults.ts'
import type { CreditAuditLine } from '../../../shared/credit-audit.ts'
import { Hash, Notice } from '../../parts/index.ts'
import classes from '../credit.module.css'
import { PlainTable } from '../PlainTable.tsx'
import { auditOfReading } from '../readings.ts'
import { AuditView } from './AuditView.tsx'

interface Props {
  /** At least one. */
  readonly readings: readonly CreditAuditLine[]
  /** Whose report has them. */
  readonly study?: string | undefined
  readonly onPart: (rollout: string) => void
}

export function Readings({ readings, study, onPart }: Props) {
  const [chosen, choose] = useState<number | null>(null)
  const line = readings.find(({ update }) => update === chosen) ?? readings.at(-1)
  if (line === undefined) return null
  const audit = auditOfReading(line)
  return (
    <section className={classes.stacked} aria-label="Recorded while learning">
      <h3>Recorded while learning</h3>
      <div className={classes.bar}>
        <NativeSelect
          label="At update"
          w={220}
          value={String(line.update)}
          data={readings.map(({ update, iteration }) => ({
            value: String(update),
            label: `${update}, iteration ${iteration}`,
          }))}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        />
        <p className={classes.figures}>
          <span>
            pass {line.epoch_within_rollout} over its rollouts, at the policy just before the step{' '}
            <Hash value={line.policy_sha256} of="the policy" />
          </span>
          <span>
            the run’s own loss: J = <b>{objectiveWords[runReduction]}</b> ({runReduction}), in <b>{line.dtype}</b>
          </span>
        </p>
      </div>
      {audit === null ? (
        <Notice tone="warn" title="Nothing to share out">
          The gradient of this update was exactly zero.
        </Notice>
      ) : (
        <AuditView audit={audit} study={study} reportAt="table-credit-readings" onPart={onPart} />
      )}
      {readings.length > 1 && (
        <PlainTable
          name="recorded-audits"
          study={study}
          reportAt="table-credit-readings"
          table={tableOf(readings)}
          note={`${readings.length} updates in view; a row opens its shares`}
          selected={readings.indexOf(line)}
          onSelect={(row) => choose(readings[row]?.update ?? null)}
        />
      )}
    </section>
  )
}

function tableOf(readings: readonly CreditAuditLine[]): Table {
  return {
    caption: 'Audited updates',
    columns: [
      { label: 'Update' },
      { label: 'Iteration', numeric: true },
      { label: 'Gradient norm', numeric: true },
      { label: 'Σ shares', numeric: true },
      { label: 'Conservation error', numeric: true },
      { label: 'By token', numeric: true },
      { label: 'Cancellation', numeric: true },
      { label: 'Largest share', numeric: true },
    ],
    rows: readings.map(({ update, iteration, reading }) => ({
      cells: [
        String(update),
        counted(iteration),
        precise(reading?.full_norm),
        reading === null ? 'zero gradient' : decimal(reading.projected_share_sum),
        precise(reading?.conservation_error),
        reading === null ? '—' : significant(reading.token_conservation_error),
        measured(reading?.cancellation, 2),
        measured(reading === null ? null : Math.max(...reading.rollouts.map((one) => one.projected_share))),
      ],
    })),
  }
}
