import type { Command } from 'commander'
import type { HeadlessChoice } from '../run-speaker.ts'

export function withHeadlessOptions(command: Command): Command {
  return command
    .optionsGroup('Without a screen:')
    .option('--headless', 'print one JSON object per line')
    .option('--packets', 'also print every MQTT packet')
    .option('--timestamps', 'add the time to each line')
    .option('--control', 'read control lines from the standard input')
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
