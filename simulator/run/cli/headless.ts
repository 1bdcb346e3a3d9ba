import type { Command } from 'commander'

/** What the command line says about a speaker without a screen. */
export interface HeadlessChoice {
  headless: boolean
  /** A line for every packet too, and when each line was. */
  packets: boolean
  timestamps: boolean
  /** Whether orders are read from the standard input. */
  control: boolean
}

export function withHeadlessOptions(command: Command): Command {
  return command
    .optionsGroup('Without a screen:')
    .option('--headless', 'print one JSON object a line')
    .option('--packets', 'print every MQTT packet too')
    .option('--timestamps', 'say in each line when it was')
    .option('--control', 'read orders from the standard input, a line each')
}

export function headlessChoiceOf(command: Command): HeadlessChoice {
  const {
    packets = false,
    timestamps = false,
    control = false,
    ...given
  } = command.opts<Partial<HeadlessChoice>>()
  // Orders and packets are lines: who asks for them wants no screen.
  const headless = given.headless || packets || timestamps || control
  return { headless, packets, timestamps, control }
}
