import { InvalidArgumentError, Option } from 'commander'
import { FAULT_NOTES, FAULTS, type Fault, isFault } from '../device/faults.ts'

/** `--fault NAME`, as often as there are faults. */
export function faultOption(): Option {
  return new Option('--fault <name>', 'something that is wrong with it from the start (may be repeated)')
    .argParser((name, before: readonly Fault[]) => [...before, parseFault(name)])
    .default([], 'none')
}

/** What each fault does, for the end of the help. */
export function faultHelp(): string {
  const width = Math.max(...FAULTS.map((fault) => fault.length))
  const lines = FAULTS.map((fault) => `  ${fault.padEnd(width)}  ${FAULT_NOTES[fault].does}`)
  return ['', 'Faults:', ...lines, ''].join('\n')
}

function parseFault(name: string): Fault {
  if (isFault(name)) return name
  throw new InvalidArgumentError(`There is no such fault; there are ${FAULTS.join(', ')}.`)
}
