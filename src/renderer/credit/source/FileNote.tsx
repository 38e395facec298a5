/** What is known of a file that was read in: where it is from, which fields it has and which it lacks. */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { KeptTrajectories } from '../../../shared/credit.ts'
import { ask, useAnswer, useWorkbench, wordsOf } from '../../bridge/index.ts'
import { Hash } from '../../parts/index.ts'
import { type CreditRoute, replace } from '../../routes/index.ts'
import { moment } from '../../words/index.ts'
import classes from '../credit.module.css'

export function FileNote({ file, route }: { readonly file: KeptTrajectories; readonly route: CreditRoute }) {
  const { bridge } = useWorkbench()
  const sources = useAnswer('credit.sources', {})
  const forget = () => {
    ask(bridge, 'credit.forget', { sha256: file.sha256 }).then(
      () => {
        replace({ ...route, source: null, rollouts: [], result: null })
        sources.refresh()
      },
      (reason: unknown) => notifications.show({ color: 'red', title: file.name, message: wordsOf(reason) }),
    )
  }
  return (
    <details className={classes.note}>
      <summary>
        {file.name}, read as {file.format}
      </summary>
      <dl>
        <dt>Kept</dt>
        <dd>
          {moment(file.kept_at)}, rows <Hash value={file.sha256} of={file.name} />
        </dd>
        <dt>Fields found</dt>
        <dd>{file.fields_found.join(', ') || 'none'}</dd>
        <dt>Not recorded</dt>
        <dd>{file.fields_absent.join(', ') || 'none'}</dd>
        <dt>Tokenizer</dt>
        <dd>
          {file.tokenizer ??
            'none named: cells show token ids; imported again with its tokenizer, the file has a text for each token'}
        </dd>
        {file.remarks.map((remark) => (
          <dd key={remark} className={classes.remark}>
            {remark}
          </dd>
        ))}
      </dl>
      <Button variant="default" size="compact-xs" onClick={forget}>
        Forget this file
      </Button>
    </details>
  )
}
