import type { Command } from 'commander'
import type { HeadlessChoice } from '../run-speaker.ts'

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
  // These options are about lines, so they imply no screen.
  const headless = given.headless || packets || timestamps || control
  return { headless, packets, timestamps, control }
}
