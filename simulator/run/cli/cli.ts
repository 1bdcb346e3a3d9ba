import { type Command, CommanderError } from 'commander'
import type { BoxRunOptions } from '../boxes/run-box.ts'
import type { MergeOptions } from '../fleet/merge/command.ts'
import type { FleetOptions } from '../fleet/options.ts'
import type { SpeakerOptions } from '../run-speaker.ts'
import type { ScenarioOptions } from '../scenario/command.ts'
import type { ReplayOptions } from '../transcript/show.ts'
import { asksForBox, boxOptionsOf, describeBox } from './box.ts'
import { asksForFleet, describeFleet, fleetOptionsOf } from './fleet.ts'
import { describeMerge, mergeOptionsOf } from './merge.ts'
import { describeReplay, replayOptionsOf } from './replay.ts'
import { describeSpeaker, proofAskedOf, speakerOptionsOf } from './speaker.ts'

/** What the arguments ask for: a kind of run, or only an exit code. */
export type Cli =
  | { kind: 'speaker'; options: SpeakerOptions }
  | { kind: 'scenario'; options: SpeakerOptions; scenario: ScenarioOptions }
  | { kind: 'box'; options: BoxRunOptions }
  | { kind: 'fleet'; options: FleetOptions }
  | { kind: 'merge'; options: MergeOptions }
  | { kind: 'replay'; options: ReplayOptions }
  | { kind: 'exit'; code: 0 | 2 }

export interface CliOutput {
  out: (text: string) => void
  err: (text: string) => void
}

/**
 * Reads the arguments. `replay` and `merge` as the first argument, and `--fleet` and `--dialect` anywhere, are commands of
 * their own. Writes help and errors to the output; an error exits with 2.
 */
export function readCli(args: readonly string[], env: NodeJS.ProcessEnv, output: CliOutput): Cli {
  try {
    return read(args, env, output)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 }
  }
}

function read(args: readonly string[], env: NodeJS.ProcessEnv, output: CliOutput): Cli {
  if (args[0] === 'replay') {
    const command = parsed(describeReplay(), args.slice(1), output)
    return { kind: 'replay', options: replayOptionsOf(command) }
  }
  if (args[0] === 'merge') {
    const command = parsed(describeMerge(), args.slice(1), output)
    return { kind: 'merge', options: mergeOptionsOf(command) }
  }
  // `--fleet --help` asks for help: `--help` is not the number of speakers.
  const isHelp = args.some((arg) => arg === '--help' || arg === '-h')
  if (asksForFleet(args)) {
    const command = parsed(describeFleet(env), isHelp ? ['--help'] : args, output)
    return { kind: 'fleet', options: fleetOptionsOf(command, env) }
  }
  if (asksForBox(args)) {
    const command = parsed(describeBox(env), isHelp ? ['--help'] : args, output)
    return { kind: 'box', options: boxOptionsOf(command, env) }
  }
  const command = parsed(describeSpeaker(env), args, output)
  const proof = proofAskedOf(command, env)
  if (proof !== undefined) {
    output.out(`${proof}\n`)
    return { kind: 'exit', code: 0 }
  }
  const { scenario, ...options } = speakerOptionsOf(command, env)
  return scenario ? { kind: 'scenario', options, scenario } : { kind: 'speaker', options }
}

/** Parses without exiting the process, and writes to the given output. */
function parsed(command: Command, args: readonly string[], { out, err }: CliOutput): Command {
  return command
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
    .parse(args, { from: 'user' })
}
