import { z } from 'zod'
import { boxLine } from '../../boxes/core/lines.ts'
import { schemaOfLines } from './json-schema.ts'
import { errorLine } from './lines.ts'

const packetLine = z
  .object({
    event: z.literal('packet'),
    direction: z.enum(['in', 'out']),
    packet: z.string().describe('The MQTT packet: connect, connack, publish, …'),
    topic: z.exactOptional(z.string()),
    qos: z.exactOptional(z.int().min(0).max(2)),
    payload: z.exactOptional(z.string().describe('As it passed.')),
  })
  .describe('With --packets: an MQTT packet has passed.')

const snapshotLine = z
  .object({
    event: z.literal('snapshot'),
    serial: z.string(),
    power: z.boolean(),
    plugged: z.boolean().describe('Whether its network cable is plugged in.'),
    link: z.enum(['connecting', 'online', 'offline']),
    screen: z.object({ screen: z.enum(['home', 'qr', 'code', 'amount']) }),
    home: z.object({ lines: z.array(z.string()).readonly(), qr: z.string() }),
    keypad: z.object({
      typed: z.string(),
      asked: z.exactOptional(z.object({ id: z.string(), amount: z.string(), answered: z.boolean() })),
    }),
    digits: z.string().describe('On a display of digits; empty without one.'),
    sounding: z.string().optional().describe('What is heard now.'),
    waiting: z.int().min(0).describe('Sounds that wait.'),
    sounds: z.int().min(0).describe('Sounds that have begun since the power came.'),
    faults: z.array(z.string()).readonly(),
  })
  .describe('With --control: the answer to `snapshot`.')

/** Every line of a box without a screen. */
const printedLine = z.union([...boxLine.options, packetLine, snapshotLine, errorLine])

/** The JSON Schema of a line of a box. */
export function boxLineSchema(): object {
  const at = { type: 'string', format: 'date-time', description: 'With --timestamps: when it was, in UTC.' }
  return schemaOfLines(printedLine, 'A line of a simulated box of another maker without a screen', { at })
}
