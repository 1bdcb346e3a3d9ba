import { z } from 'zod'
import { announce } from './announce.ts'
import { clear } from './clear.ts'
import { code } from './code.ts'
import { commandId, number, unixSeconds } from './fields.ts'
import { identify } from './identify.ts'
import { missed } from './missed.ts'
import { profile } from './profile.ts'
import { qr } from './qr.ts'
import { settings } from './settings.ts'
import { welcome } from './welcome.ts'

/** Every command, by its type: the schema of its body. */
export const COMMANDS = {
  welcome,
  profile,
  code,
  announce,
  qr,
  clear,
  missed,
  settings,
  identify,
} as const

export type CommandType = keyof typeof COMMANDS

/** The body `d` of a command of one type. */
export type CommandBody<T extends CommandType> = z.infer<(typeof COMMANDS)[T]>

/** The stage with which a command of each type is done (sb/1 6.1). */
export const FINAL_STAGE = {
  welcome: 'received',
  profile: 'shown',
  code: 'shown',
  announce: 'played',
  qr: 'shown',
  clear: 'shown',
  missed: 'shown',
  settings: 'received',
  identify: 'played',
} as const satisfies Record<CommandType, 'received' | 'shown' | 'played'>

/** What every command carries around its body. */
export const envelope = z.object({
  t: z.string().min(1).max(32).describe("The command's type."),
  id: commandId,
  n: number.describe("The device's command number."),
  at: unixSeconds.describe("The hub's clock at this sending."),
  ttl: z
    .int()
    .min(0)
    .max(0xffff_ffff)
    .describe('For how long from `at` the command is good.')
    .meta({ unit: 'seconds' }),
  d: z.unknown().optional().describe('The body, by type.'),
})

export interface Command<T extends CommandType = CommandType> {
  t: T
  id: string
  n: number
  at: number
  ttl: number
  d: CommandBody<T>
}

/** A command with its type and body tied together, so that a switch on `t` narrows `d`. */
export type AnyCommand = { [T in CommandType]: Command<T> }[CommandType]

export type ParsedCommand =
  | { kind: 'command'; command: AnyCommand }
  /** A well-formed envelope whose type or body this side does not know: acked `failed` / `unsupported`. */
  | { kind: 'unsupported'; id: string; n: number; t: string }
  | { kind: 'malformed' }

/** Reads the body of a verified down frame (sb/1 5.5, sb/1 7.8). Unknown fields are dropped (sb/1 5.4). */
export function parseCommand(body: unknown): ParsedCommand {
  const outer = envelope.safeParse(body)
  if (!outer.success) return { kind: 'malformed' }
  const { t, id, n, at, ttl, d } = outer.data
  if (!isCommandType(t)) return { kind: 'unsupported', id, n, t }
  const inner = COMMANDS[t].safeParse(d)
  if (!inner.success) return { kind: 'unsupported', id, n, t }
  return { kind: 'command', command: tie(t, { id, n, at, ttl }, inner.data) }
}

function isCommandType(t: string): t is CommandType {
  return Object.hasOwn(COMMANDS, t)
}

/** The schema that produced `d` was chosen by `t`; the type system can't follow that through the lookup. */
function tie(t: CommandType, rest: Omit<Command, 't' | 'd'>, d: unknown): AnyCommand {
  return { t, ...rest, d } as AnyCommand
}
