/** The whole command line: every command in its group, `help`, and the one place where a run ends in an exit status. */
import type { Command } from 'commander'
import { BadInput } from '../../shared/bad-input.ts'
import { closest } from '../../shared/closest.ts'
import { codeVersion } from '../code-version.ts'
import { globalOptions, group, type MakeContext, newCommand, type OptionValues } from './command.ts'
import { bench } from './commands/bench.ts'
import { corpusAudit } from './commands/corpus-audit.ts'
import { corpusGenerate } from './commands/corpus-generate.ts'
import { creditAudit } from './commands/credit-audit.ts'
import { creditCompare } from './commands/credit-compare.ts'
import { creditConcentration } from './commands/credit-concentration.ts'
import { creditDatc } from './commands/credit-datc.ts'
import { creditDatcStudy } from './commands/credit-datc-study.ts'
import { creditDiagnose } from './commands/credit-diagnose.ts'
import { creditEstimate } from './commands/credit-estimate.ts'
import { creditInContext } from './commands/credit-in-context.ts'
import { creditMethods } from './commands/credit-methods.ts'
import { creditProcessReward } from './commands/credit-process-reward.ts'
import { creditRead } from './commands/credit-read.ts'
import { deskBranch } from './commands/desk-branch.ts'
import { deskDemonstrations } from './commands/desk-demonstrations.ts'
import { deskPreferences } from './commands/desk-preferences.ts'
import { deskRollouts } from './commands/desk-rollouts.ts'
import { deskShow } from './commands/desk-show.ts'
import { deskTasks } from './commands/desk-tasks.ts'
import { doctor } from './commands/doctor.ts'
import { exportEngine } from './commands/export-engine.ts'
import { exportTrajectories } from './commands/export-trajectories.ts'
import { generate } from './commands/generate.ts'
import { importRolloutsCommand } from './commands/import-rollouts.ts'
import { modelInfo } from './commands/model-info.ts'
import { modelPretrain } from './commands/model-pretrain.ts'
import { report } from './commands/report.ts'
import { reward } from './commands/reward.ts'
import { score } from './commands/score.ts'
import { serve } from './commands/serve.ts'
import { studyExport } from './commands/study-export.ts'
import { studyImport } from './commands/study-import.ts'
import { studyList } from './commands/study-list.ts'
import { studyLog } from './commands/study-log.ts'
import { studyResume } from './commands/study-resume.ts'
import { studyRun } from './commands/study-run.ts'
import { studyShow } from './commands/study-show.ts'
import { studyVerify } from './commands/study-verify.ts'
import { tokenize } from './commands/tokenize.ts'
import { trainDpo } from './commands/train-dpo.ts'
import { trainGroup } from './commands/train-group.ts'
import { trainPpo } from './commands/train-ppo.ts'
import { trainReward } from './commands/train-reward.ts'
import { trainSft } from './commands/train-sft.ts'
import type { CommandContext } from './context.ts'
import { failureOf } from './failure.ts'
import { homeFolder } from './home.ts'
import { listenForInterrupts } from './interrupt.ts'
import { toJson } from './json.ts'
import type { Outcome } from './outcome.ts'
import { progressOn } from './progress.ts'
import { styleFor } from './style.ts'

/** Runs one command line and resolves to its exit status. Nothing is printed on stdout unless the work is done. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let context: CommandContext | undefined
  let outcome: Outcome | undefined
  let printed = ''
  const program = buildProgram(
    (options) => {
      context = contextFor(options)
      return context
    },
    (result) => {
      outcome = result
    },
    (text) => {
      printed += text
    },
  )
  try {
    await program.parseAsync([...args], { from: 'user' })
    if (outcome !== undefined && outcome.printed !== true) printed = render(outcome, context?.json === true)
    context?.progress.close()
    await writeOut(printed)
    return outcome?.exitCode ?? 0
  } catch (error) {
    context?.progress.close()
    const failure = failureOf(error)
    if (failure.exitCode === 0) await writeOut(printed)
    if (failure.line !== undefined) process.stderr.write(`${failure.line}\n`)
    if (failure.exitCode === 1 && process.env.RECOMPENSE_DEBUG && error instanceof Error) {
      process.stderr.write(`${error.stack ?? ''}\n`)
    }
    return failure.exitCode
  }
}

function render(outcome: Outcome, json: boolean): string {
  const text = json ? toJson(outcome.json) : outcome.text()
  return text.endsWith('\n') ? text : `${text}\n`
}

/** Resolves when the text has left the process: exiting earlier would cut a pipe short. */
function writeOut(text: string): Promise<void> {
  if (text === '') return Promise.resolve()
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

function contextFor(options: OptionValues): CommandContext {
  const progress = progressOn(process.stderr)
  const note = (line: string) => progress.note(line)
  return {
    home: homeFolder(options.home as string | undefined),
    json: options.json === true,
    style: styleFor(process.stdout),
    progress,
    interrupts: listenForInterrupts(note),
    note,
  }
}

/** Builds the tree of commands. `show` receives help and version texts. */
export function buildProgram(
  makeContext: MakeContext,
  finish: (outcome: Outcome) => void,
  show: (text: string) => void,
): Command {
  const make = (definition: (context: MakeContext, finish: (outcome: Outcome) => void) => Command) =>
    definition(makeContext, finish)
  const program = newCommand('recompense')
    .description('Studies how language models learn from rewards: offline, reproducible, every number with its origin.')
    .usage('<command> [options]')
    .version(codeVersion, '-V, --version', 'show the version')
  for (const option of globalOptions()) program.addOption(option)
  const members: Command[] = [
    group('study', 'run, review and continue studies', [
      make(studyRun),
      make(studyList),
      make(studyShow),
      make(studyLog),
      make(studyResume),
      make(studyVerify),
      make(studyExport),
      make(studyImport),
    ]),
    make(report),
    group('corpus', 'the OfficeHelpPrefs-v1 corpus', [make(corpusGenerate), make(corpusAudit)]),
    group('model', 'base checkpoints', [make(modelInfo), make(modelPretrain)]),
    group('train', 'one learning stage on your own rows', [
      make(trainSft),
      make(trainReward),
      make(trainPpo),
      ...trainGroup.map(make),
      make(trainDpo),
    ]),
    group('import', 'what other programs wrote', [make(importRolloutsCommand)]),
    group('export', 'what other programs read', [
      make(exportTrajectories),
      make(exportEngine('trl')),
      make(exportEngine('verl')),
    ]),
    group('credit', 'which token, turn or rollout got the reward', [
      make(creditEstimate),
      make(creditCompare),
      make(creditDiagnose),
      make(creditProcessReward),
      make(creditMethods),
      make(creditAudit),
      make(creditConcentration),
      make(creditInContext),
      make(creditDatc),
      make(creditDatcStudy),
      make(creditRead),
    ]),
    make(tokenize),
    make(score),
    make(reward),
    make(generate),
    group('desk', 'the multi-turn desk: tasks, demonstrations, rollouts, branches', [
      make(deskTasks),
      make(deskDemonstrations),
      make(deskPreferences),
      make(deskRollouts),
      make(deskBranch),
      make(deskShow),
    ]),
    make(serve),
    make(doctor),
    make(bench),
  ]
  for (const member of members) program.addCommand(member)
  program.addCommand(helpCommand(program))
  program.argument('[command]').action((given: string | undefined) => {
    if (given === undefined) return program.help()
    program.error(`error: unknown command '${given}' ${nearest(program, given)}`)
  })
  showOn(program, show)
  return program
}

function showOn(command: Command, show: (text: string) => void): void {
  command.configureOutput({ writeOut: show, writeErr: () => {}, outputError: () => {} })
  for (const member of command.commands) showOn(member, show)
}

/** `help study run` as well as `help study`. */
function helpCommand(program: Command): Command {
  return newCommand('help')
    .summary('flags, units, defaults and an example of a command')
    .argument('[command...]')
    .action((path: readonly string[]) => {
      let command = program
      for (const name of path) {
        const next = command.commands.find((member) => member.name() === name)
        if (next === undefined) throw new BadInput(`help ${path.join(' ')}`, `${name} is no command`)
        command = next
      }
      command.help()
    })
}

function nearest(program: Command, given: string): string {
  const names = program.commands.map((command) => command.name())
  const match = closest(given, names)
  return match === undefined ? '' : `(did you mean ${match}?)`
}
