import { z } from 'zod'
import { ack } from '../../messages/ack.ts'
import { birth } from '../../messages/birth.ts'
import { COMMANDS, type CommandType, envelope, FINAL_STAGE } from '../../messages/command.ts'
import { mac } from '../../messages/fields.ts'
import { settingsReport } from '../../messages/settings-report.ts'
import { telemetry } from '../../messages/telemetry.ts'
import { will } from '../../messages/will.ts'
import { UP_QOS, type UpKind } from '../../topics.ts'

/** One message with its topic and schema. */
export interface CatalogueEntry {
  /** The name of its schema file, without the extension. */
  name: string
  direction: 'down' | 'up'
  /** The last level of its topic. */
  channel: 'down' | UpKind
  qos: 0 | 1
  sealed: boolean
  /** The whole payload. */
  payload: z.ZodObject
  /** The body of a command. */
  body: z.ZodObject | undefined
  /** The stage that completes a command. */
  finalStage: (typeof FINAL_STAGE)[CommandType] | undefined
}

/** Every message of sb/1: the commands, then the device's messages. */
export function catalogue(): CatalogueEntry[] {
  return [
    ...COMMAND_TYPES.map(command),
    up('birth', birth),
    up('ack', ack),
    up('settings', settingsReport, 'settings-report'),
    up('telemetry', telemetry),
    up('will', will),
  ]
}

/** In the order in which a device receives them. */
const COMMAND_TYPES: readonly CommandType[] = [
  ...(['welcome', 'profile', 'code', 'announce', 'qr', 'clear', 'missed', 'settings', 'identify'] as const),
  ...(['rekey', 'update'] as const),
]

function command(t: CommandType): CatalogueEntry {
  const body: z.ZodObject = COMMANDS[t]
  const description = body.description ?? ''
  const payload = z
    .object({ ...envelope.shape, t: z.literal(t), d: body.describe('The body.'), mac })
    .describe(description)
  return {
    name: t,
    direction: 'down',
    channel: 'down',
    qos: 1,
    sealed: true,
    payload,
    body,
    finalStage: FINAL_STAGE[t],
  }
}

function up(kind: UpKind, schema: z.ZodObject, name: string = kind): CatalogueEntry {
  const sealed = kind !== 'will' && kind !== 'telemetry'
  const description = schema.description ?? ''
  const payload = sealed ? schema.extend({ mac }).describe(description) : schema
  return {
    name,
    direction: 'up',
    channel: kind,
    qos: UP_QOS[kind],
    sealed,
    payload,
    body: undefined,
    finalStage: undefined,
  }
}
