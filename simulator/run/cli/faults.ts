import { type Command, Option } from 'commander'
import { guess } from '../../../protocol/text/nearest.ts'
import { FAULT_NOTES, FAULTS, type Fault, isFault } from '../../speaker/device/state/faults.ts'
import { invalidValue } from './values.ts'

/** `--fault NAME`, which may be repeated. */
export function withFaultOption(command: Command): Command {
  return command
    .optionsGroup('Faults:')
    .addOption(
      new Option(
        '--fault <name>',
        'a fault that is on from the start (may be repeated): see below',
      ).argParser((name, before: readonly Fault[] = []) => [...before, parseFault(name)]),
    )
}

export function faultsOf(command: Command): readonly Fault[] {
  return command.opts<{ fault?: readonly Fault[] }>().fault ?? []
}

/** The faults in words, for the end of the help. */
export function faultHelp(): string {
  const width = Math.max(...FAULTS.map((fault) => fault.length))
  const lines = FAULTS.map((fault) => `  ${fault.padEnd(width)}  ${FAULT_NOTES[fault].brief}`)
  return ['The names of faults:', ...lines, ''].join('\n')
}

function parseFault(name: string): Fault {
  if (isFault(name)) return name
  const meant = guess(name, FAULTS)
  const instead = meant === undefined ? `there are ${FAULTS.join(', ')}.` : `did you mean ${meant}?`
  return invalidValue(`There is no such fault; ${instead}`)
}
