/** What will happen if I press Start? Wizards of one shape: inputs, settings, check, start. */
import { Button, Stepper } from '@mantine/core'
import { useState } from 'react'
import { useAnswer, useJob, wordsOf } from '../bridge/index.ts'
import { Notice, Screen } from '../parts/index.ts'
import { go, type WizardName } from '../routes/index.ts'
import { ChooseStudy } from '../shell/ChooseStudy.tsx'
import { CheckStep } from './CheckStep.tsx'
import { definitions } from './definitions.ts'
import type { StageWizard } from './draft.ts'
import { InputsStep } from './InputsStep.tsx'
import { wanted } from './request.ts'
import { SettingsStep } from './SettingsStep.tsx'
import { StartStep } from './StartStep.tsx'
import { useDraft } from './use-draft.ts'
import { WizardKinds } from './WizardKinds.tsx'
import classes from './wizard.module.css'

interface Props {
  readonly wizard: WizardName
  readonly study: string | null
}

export default function WizardScreen({ wizard, study }: Props) {
  if (wizard === 'report') return <ChooseStudy screen="reports" />
  return <StageWizardScreen key={wizard} wizard={wizard} study={study} />
}

const steps = ['Inputs', 'Settings', 'Check', 'Start'] as const
const lastStep = steps.length - 1

function StageWizardScreen({ wizard, study }: { readonly wizard: StageWizard; readonly study: string | null }) {
  const { draft, change, forget } = useDraft(wizard, study)
  const [step, goTo] = useState(0)
  const setStep = (next: number) => {
    goTo(next)
    window.scrollTo({ top: 0 })
  }
  const { value: info } = useAnswer('app.info', {})
  const embeddedModel = info?.embedded_model ?? ''
  const { request, missing } = wanted(wizard, draft, embeddedModel)
  const estimate = useAnswer('jobs.estimate', request)
  const { title, question } = definitions[wizard]
  const start = useStart(forget)
  return (
    <Screen title={title} question={question} actions={<WizardKinds here={wizard} />}>
      <Stepper active={step} onStepClick={setStep} size="xs" iconSize={26} className={classes.steps ?? ''}>
        {steps.map((name) => (
          <Stepper.Step key={name} label={name} />
        ))}
      </Stepper>
      {step === 0 && (
        <InputsStep wizard={wizard} draft={draft} change={change} missing={missing} embeddedModel={embeddedModel} />
      )}
      {step === 1 && (
        <SettingsStep wizard={wizard} draft={draft} change={change} command={estimate.value?.command ?? ''} />
      )}
      {step >= 2 &&
        (request === null ? (
          <Notice tone="warn" title="Something is missing" action={<Button onClick={() => setStep(0)}>Inputs</Button>}>
            {missing.map(({ what }) => what).join(', ')}
          </Notice>
        ) : step === 2 ? (
          <CheckStep draft={draft} change={change} estimate={estimate} />
        ) : (
          <StartStep draft={draft} title={title} estimate={estimate} problem={start.problem} />
        ))}
      <div className={classes.foot}>
        {step > 0 && (
          <Button variant="default" onClick={() => setStep(step - 1)}>
            Back
          </Button>
        )}
        {step < lastStep ? (
          <Button onClick={() => setStep(step + 1)} disabled={step === 0 && missing.length > 0}>
            Next: {steps[step + 1]}
          </Button>
        ) : (
          <Button
            disabled={request === null || start.blocked || estimate.error !== undefined}
            loading={start.starting}
            onClick={() => request !== null && start.begin(request)}
          >
            Start
          </Button>
        )}
        {start.blocked && <span className={classes.hint}>Another job runs. This can start when it has ended.</span>}
      </div>
    </Screen>
  )
}

type Request = NonNullable<ReturnType<typeof wanted>['request']>

function useStart(started: () => void) {
  const { active, start } = useJob()
  const [starting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string | undefined>()
  const begin = (request: Request) => {
    setStarting(true)
    setProblem(undefined)
    start(request)
      .then(
        (job) => {
          started()
          if (job.study_id !== null) go({ screen: 'study', study: job.study_id })
          else if (job.run_id !== null) go({ screen: 'run', run: job.run_id })
          else go({ screen: request.kind === 'train' ? 'runs' : 'studies' })
        },
        (reason: unknown) => setProblem(wordsOf(reason)),
      )
      .finally(() => setStarting(false))
  }
  return { begin, starting, problem, blocked: active && !starting }
}
