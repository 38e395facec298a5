/** `recompense study verify`: re-hashes every artifact of a study and re-checks every recorded invariant. */
import { Argument } from 'commander'
import { define } from '../command.ts'
import { withWorkbench } from '../study-session.ts'
import { checksText } from '../study-text.ts'

export const studyVerify = define<Record<string, never>>({
  name: 'verify',
  summary: 're-hash every artifact and re-check every recorded invariant',
  arguments: [new Argument('<id>', 'the study, as study list names it')],
  options: [],
  details: `Changes nothing. The exit status is 1 where a check fails.
Result: study_id, ok, checks[{name, status: ok | warning | failed, detail}].`,
  example: 'study verify "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)"',
  run: (context, _options, [id = '']) =>
    withWorkbench(context, async (bench) => {
      const { verifyStudy } = await import('../../workbench/verify-study.ts')
      const verification = verifyStudy(bench, id)
      return {
        json: verification,
        text: () => checksText(context.style, verification.checks),
        exitCode: verification.ok ? 0 : 1,
      }
    }),
})
