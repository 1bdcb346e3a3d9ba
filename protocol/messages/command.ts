import * as z from 'zod'
import { announce } from './announce.ts'
import { clear } from './clear.ts'
import { code } from './code.ts'
import { commandId, number, unixSeconds } from './fields.ts'
import { identify } from './identify.ts'
import { missed } from './missed.ts'
import { profile } from './profile.ts'
import { qr } from './qr.ts'
import { rekey } from './rekey.ts'
import { settings } from './settings.ts'
import { update } from './update.ts'
import { welcome } from './welcome.ts'

/** The schema of the body of each command type. */
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
  rekey,
  update,
} as const

export type CommandType = keyof typeof COMMANDS

/** The body `d` of a command of one type. */
export type CommandBody<T extends CommandType> = z.infer<(typeof COMMANDS)[T]>

/** The stage that completes a command of each type (sb/1 6.1). */
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
  rekey: 'received',
  update: 'received',
} as const satisfies Record<CommandType, 'received' | 'shown' | 'played'>

/** The fields of every command around its body. */
export const envelope = z.object({
  t: z.string().min(1).max(32).describe("The command's type."),
  id: commandId,
  n: number.describe("The device's command number."),
  at: unixSeconds.describe("The hub's clock when this frame is sent."),
  ttl: z
    .int()
    .min(0)
    .max(0xffff_ffff)
    .describe('How long after `at` the command is valid.')
    .meta({ unit: 'seconds' }),
  d: z.unknown().optional().describe('The body. It depends on `t`.'),
})
export type Envelope = z.infer<typeof envelope>

export interface Command<T extends CommandType = CommandType> {
  t: T
  id: string
  n: number
  at: number
  ttl: number
  d: CommandBody<T>
}

/** A union of all commands: a switch on `t` narrows `d`. */
export type AnyCommand = { [T in CommandType]: Command<T> }[CommandType]

export type ParsedCommand =
  | { kind: 'command'; command: AnyCommand }
  /** A valid envelope with an unknown type or an invalid body. The device acks `failed` / `unsupported`. */
  | { kind: 'unsupported'; id: string; n: number; t: string }
  | { kind: 'malformed' }

/** Parses the JSON of a verified down frame (sb/1 5.5, sb/1 7.8). Drops unknown fields (sb/1 5.4). */
export function parseCommand(body: unknown): ParsedCommand {
  const outer = envelope.safeParse(body)
  if (!outer.success) return { kind: 'malformed' }
  const { t, id, n, at, ttl, d } = outer.data
  if (!isCommandType(t)) return { kind: 'unsupported', id, n, t }
  const inner = COMMANDS[t].safeParse(d)
  if (!inner.success) return { kind: 'unsupported', id, n, t }
  return { kind: 'command', command: toCommand(t, { id, n, at, ttl }, inner.data) }
}

function isCommandType(t: string): t is CommandType {
  return Object.hasOwn(COMMANDS, t)
}

/** `t` selected the schema that parsed `d`. TypeScript can't infer this from the lookup. */
function toCommand(t: CommandType, rest: Omit<Command, 't' | 'd'>, d: unknown): AnyCommand {
  return { t, ...rest, d } as AnyCommand
}
