import { type Command, CommanderError, InvalidArgumentError } from 'commander'
import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import { SERIAL_PATTERN } from '../../devices/device.ts'
import { MOST_AT_ONCE } from '../../devices/mint-devices.ts'
import { EVENT_TYPES, isEventType } from '../../events/event.ts'
import { systemClock } from '../../platform/clock.ts'
import { readOrigin } from '../../platform/net/origin.ts'
import { CURSOR_PATTERN } from '../../platform/page.ts'
import { isZone } from '../../platform/time/zone-day.ts'
import { readInstant } from '../instant.ts'
import { type Outcome, print } from './output.ts'
import { inWorkspace, lookIntoWorkspace, type Workspace } from './workspace.ts'

export const EXIT_WRONG_USAGE = 2
/** Rows that one command lists; each takes about a kilobyte of memory. */
const MOST_ROWS = 100_000

/** Accepts an argument that `read` reads; refuses any other with the sentence. */
export function reading<T>(read: (value: string) => T | undefined, issue: string) {
  return (value: string): T => {
    const result = read(value)
    if (result === undefined) throw new InvalidArgumentError(issue)
    return result
  }
}

export const matching = (pattern: RegExp, issue: string) =>
  reading((value) => (pattern.test(value) ? value : undefined), issue)

export const serial = matching(
  SERIAL_PATTERN,
  'A serial has 4 to 32 letters, digits, underscores or hyphens.',
)
export const amount = matching(AMOUNT_PATTERN, 'An amount has 1 to 13 digits, without a leading zero.')
export const url = matching(/^https?:\/\//, 'An address starts with http:// or https://.')
export const notBlank = matching(/\S/, 'It must not be blank.')
export const serialPrefix = matching(
  /^[A-Za-z0-9_-]{1,27}$/,
  'A prefix has 1 to 27 letters, digits, underscores or hyphens.',
)
export const partnerName = matching(
  /^(?=.*\S)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,128}$/u,
  'A name has 1 to 128 characters, none of them invisible.',
)
export const percent = reading(
  (value) => (/^(100|[1-9]?[0-9])$/.test(value) ? Number(value) : undefined),
  'A percentage is a number from 0 to 100.',
)

/** Accepts a whole number from 1 to the highest; `beyond` says how to get more. */
export const upTo = (highest: number, beyond = '') =>
  reading(
    (value) => (/^[1-9][0-9]{0,15}$/.test(value) && Number(value) <= highest ? Number(value) : undefined),
    `Give a number from 1 to ${highest}${beyond}.`,
  )

/** Accepts a number from the lowest to the highest; `isWhole`: without decimals. */
export const between = (lowest: number, highest: number, { isWhole = false, why = '' } = {}) =>
  reading(
    (value) => {
      const number = (isWhole ? /^\d{1,9}$/ : /^\d{1,9}(\.\d{1,6})?$/).test(value)
        ? Number(value)
        : Number.NaN
      return number >= lowest && number <= highest ? number : undefined
    },
    `Give a ${isWhole ? 'whole ' : ''}number from ${lowest} to ${highest}${why}.`,
  )

export const count = upTo(MOST_AT_ONCE, '; for more, run several commands')
const limit = upTo(MOST_ROWS, '; --after continues')
const cursor = matching(CURSOR_PATTERN, 'Give the `cursor` of the last row that you have.')

export const eventTypes = reading(
  (value) => {
    const names = value.split(',')
    return names.every(isEventType) ? names : undefined
  },
  `Give types with commas between them: ${EVENT_TYPES.join(', ')}.`,
)

export const eventType = reading(
  (value) => (isEventType(value) ? value : undefined),
  `Give one type: ${EVENT_TYPES.join(', ')}.`,
)

/** An address to which requests can be sent. */
export const receiver = reading((value) => {
  const { protocol = '', username, password } = URL.parse(value) ?? {}
  return /^https?:$/.test(protocol) && !username && !password ? value : undefined
}, 'Give an address such as http://127.0.0.1:3000/webhook, without a user and a password.')

/** Where the pages of a hub are. */
export const pagesAddress = reading(
  readOrigin,
  'Give an address without a path, such as https://hub.example.',
)

/** Accepts an instant. Returns a function that reads it: `--tz` may come later on the command line (`inTheZone`). */
export const instant = reading((value) => {
  const read = () => readInstant(value, systemClock.now())
  return read() === undefined ? undefined : read
}, 'Give a time back such as 90s, 10m, 24h or 7d, or ISO 8601 (without an offset: in the zone of --tz).')

const zone = reading(
  (value) => (isZone(value) ? value : undefined),
  'Give a name of the time zone database, as Asia/Ho_Chi_Minh or UTC.',
)

/**
 * Sets the zone of the process to that of the command, and reads the instants of its options. In JSON, the times in
 * sentences are in UTC: a script gets the same from every machine.
 */
function inTheZone(command: Command) {
  const { tz, json } = command.optsWithGlobals()
  if (tz !== undefined) process.env.TZ = tz
  for (const [name, value] of Object.entries(command.opts()))
    if (typeof value === 'function') command.setOptionValue(name, value())
  if (json || !process.stdout.isTTY) process.env.TZ = 'UTC'
}

/** A command that lists rows. `all` says what it lists without a limit. */
export function list(parent: Command, description: string, all: string): Command {
  return leaf(parent, 'list', description)
    .option('--client <id>', 'only of this partner')
    .option('--limit <number>', `at most so many; without it ${all}`, limit)
    .option('--after <cursor>', 'those that follow the row with this cursor', cursor)
}

/** Adds the options that all commands have, before their name or behind it. */
export function withSharedOptions(command: Command): Command {
  return command
    .option('--json', 'print one line of JSON')
    .option('--tz <zone>', "zone of the times, such as Asia/Ho_Chi_Minh; the machine's when absent", zone)
    .hook('preAction', (_, acting) => {
      if (acting === command) inTheZone(command)
    })
}

/** A command that does something, in contrast to a group of commands. */
export function leaf(parent: Command, usage: string, description: string): Command {
  return withSharedOptions(parent.command(usage)).description(description)
}

/** Runs a command and prints its outcome. Commander calls an action with the command as `this`. */
export function show<Args extends unknown[]>(run: (...args: Args) => Outcome | Promise<Outcome>) {
  return async function (this: Command, ...args: Args) {
    print(await run(...args), this.optsWithGlobals().json === true)
  }
}

/** Like `show`, for a command that only looks into the data folder. */
export function look<Args extends unknown[]>(run: (workspace: Workspace, ...args: Args) => Promise<Outcome>) {
  return show((...args: Args) => lookIntoWorkspace((workspace) => run(workspace, ...args)))
}

/** Like `show`, for a command that changes something in the data folder. `makes`: also one that is not there yet. */
export function open<Args extends unknown[]>(
  run: (workspace: Workspace, ...args: Args) => Promise<Outcome>,
  { makes = false } = {},
) {
  return show((...args: Args) => inWorkspace((workspace) => run(workspace, ...args), { makes }))
}

/** An error in the arguments that Commander does not detect. */
export function wrongUsage(says: string): CommanderError {
  return new CommanderError(EXIT_WRONG_USAGE, 'hub.usage', `error: ${says}`)
}

/** A command on one partner or device, whose name is given as an argument or as an option. */
export function onOne(
  parent: Command,
  [usage, option, what]: readonly [usage: string, option: string, what: string],
  description: string,
  act: (workspace: Workspace, name: string) => Promise<Outcome>,
) {
  leaf(parent, usage, description)
    .option(option, `the ${what}, as an option`)
    .action(
      show((argument: string | undefined, { client, serial }: { client?: string; serial?: string }) => {
        const name = argument ?? client ?? serial
        if (name === undefined) throw wrongUsage(`a ${what} is missing`)
        return inWorkspace((workspace) => act(workspace, name))
      }),
    )
}
