import { z } from 'zod'
import { ackStage, reasonCode } from '../../../protocol/messages/ack.ts'
import { language, number } from '../../../protocol/messages/fields.ts'
import { UPDATE_STATES } from '../../../protocol/messages/telemetry.ts'
import { FAULTS } from '../../speaker/device/state/faults.ts'
import { display, sounding } from './display.ts'

/**
 * The schema of a speaker's lines, shared by headless mode, scenarios and transcripts. Events, packets and snapshots
 * have their types where they are created; a test compares each type with its schema.
 */

const fault = z.enum(FAULTS).meta({ id: 'fault' })
const lang = z.enum(language.options).meta({ id: 'lang' })
const stage = z.enum(ackStage.options).meta({ id: 'stage' })
const rc = z.enum(reasonCode.options).meta({ id: 'rc' })
const n = number.describe("The command's number.")
const amount = z.string().describe("A decimal string in the currency's own unit.")
const exp = z.int().min(0).describe("Unix seconds on the hub's clock.")
const reason = z.string().describe('In plain words.')
const on = z.boolean()
const retryInMs = z.number().min(0)
const count = z.int().min(0)
const battery = z.int().min(0).max(100).describe('Percent.')
const signal = z.int().describe('dBm.')
const settings = { ver: number, volume: z.int().min(0).max(100), lang }

/** One event, with its meaning. */
const line = <E extends string, F extends z.ZodRawShape>(event: E, fields: F, about: string) =>
  z.object({ event: z.literal(event), ...fields }).describe(about)

export const speakerEvent = z.discriminatedUnion('event', [
  line('power', { on }, 'It was given power, or lost it.'),
  line('fault', { fault, on }, 'Something in it was broken, or repaired.'),
  line('vitals', { battery, signal }, 'Its battery or its signal has changed.'),
  line('connected', { linked: z.boolean() }, 'Welcomed by the hub.'),
  line('disconnected', { reason }, 'A welcomed session has ended.'),
  line('offline', { reason, retryInMs }, 'An attempt to connect has failed.'),
  line(
    'refused',
    {
      code: z.union([z.literal(1), z.literal(2), z.literal(4), z.literal(5)]),
      reason,
      retryInMs: z.exactOptional(retryInMs),
    },
    'The hub refused the login or the CONNECT; without retryInMs it gives up.',
  ),
  line(
    'profile',
    { name: z.string(), qr: z.string(), locked: z.boolean().optional() },
    'The idle screen has changed; locked: its partner has locked it.',
  ),
  line('code', { code: z.string(), exp }, 'A verification code is on the screen.'),
  line('qr', { qr: z.string(), amount, bill: z.string(), exp }, 'A dynamic QR is on the screen.'),
  line(
    'cleared',
    { what: z.enum(['code', 'qr']), why: z.enum(['command', 'expired', 'unlinked', 'locked']) },
    'It was on the screen and has gone.',
  ),
  line(
    'announce',
    {
      n,
      amount,
      currency: z.string(),
      text: z.string().describe('The sentence.'),
      lang,
      clips: z.string().describe('The sentence as clip ids.'),
      bill: z.exactOptional(z.string()),
    },
    'The sentence starts to be heard.',
  ),
  line('paid', { n, bill: z.string(), amount }, 'An announcement pays the QR on the screen.'),
  line('played', { n }, 'The sentence has ended.'),
  line('missed', { n, count, amount }, 'Payments that came too late to be spoken are shown.'),
  line('identify', { n }, 'It beeps.'),
  line('settings', settings, 'New settings are in force.'),
  line(
    'rekey',
    { key: z.enum(['next', 'confirmed']) },
    'It has stored a new key, or the hub has confirmed it.',
  ),
  line(
    'update',
    { fw: z.string(), state: z.enum(UPDATE_STATES), percent: z.int().min(0).max(100).optional() },
    'What it does with an offer of firmware.',
  ),
  line('failed', { t: z.string(), n, rc }, 'A command was refused.'),
  line('repeat', { t: z.string(), n, stage }, 'A command came again and was only acked.'),
  line('dropped', { n, stage }, 'An ack did not leave: the fault drop-acks.'),
  line(
    'ignored',
    { reason: z.enum(['no_mac', 'bad_mac', 'bad_json', 'malformed', 'before_welcome']) },
    'A packet was dropped without an ack.',
  ),
  line('broken', { reason }, "The memory can't be written: the speaker falls silent and ends."),
  line('recorded', { n, file: z.string() }, 'With --record: the sound of a command was written to a file.'),
  line(
    'trouble',
    { with: z.enum(['sound', 'record', 'transcript']), reason },
    'Something around the speaker does not work; the speaker goes on.',
  ),
])

const direction = z.enum(['in', 'out'])
const packet = z.string().describe('The MQTT packet: connect, connack, publish, …')
const topic = z.enum(['down', 'birth', 'will', 'ack', 'telemetry', 'settings'])
const bytes = z.int().min(0).describe('The whole PUBLISH.')
const frame = z.string().describe('The payload as it passed.')
const type = z.string().describe("The frame's t.")
const said = {
  n: z.exactOptional(z.number()),
  stage: z.exactOptional(z.string()),
  rc: z.exactOptional(z.string()),
  dup: z.exactOptional(z.boolean()),
}

/** A packet as in the feed. */
export const packetNote = z.object({
  direction,
  packet,
  message: z.exactOptional(z.object({ topic, bytes, frame, t: z.exactOptional(type), ...said })),
})

/** A packet as a flat line. */
export const packetLine = line(
  'packet',
  {
    ...{ direction, packet, topic: z.exactOptional(topic) },
    ...{ bytes: z.exactOptional(bytes), frame: z.exactOptional(frame), type: z.exactOptional(type) },
    ...said,
  },
  'With --packets: an MQTT packet has passed.',
)

/** The speaker at one moment. */
export const snapshot = z.object({
  serial: z.string(),
  power: z.boolean(),
  display,
  link: z.enum(['connecting', 'offline', 'born', 'welcomed']),
  retryInMs: retryInMs.optional(),
  offlineReason: z.exactOptional(reason),
  linked: z.boolean().describe('Registered with a shop.'),
  shop: z.string().describe('Empty while unknown.'),
  settings: z.object(settings),
  faults: z.array(fault).readonly(),
  battery,
  signal,
  sounding: sounding.optional(),
  waiting: count.describe('Sounds that wait.'),
  played: number.describe('The highest announcement ever played.'),
})

export const snapshotLine = line(
  'snapshot',
  snapshot.shape,
  'With --control: the answer to `snapshot`. Left out is what is not: a next attempt, a sound.',
)

export const errorLine = line(
  'error',
  { message: z.string() },
  'With --control: an order was not understood.',
)

export const stepLine = line(
  'step',
  { line: z.int().describe('Where it stands in the file.'), step: z.string(), ok: z.boolean() },
  'With --scenario: a step is done, or was not met.',
)

export const scenarioLine = line(
  'scenario',
  {
    ok: z.boolean(),
    file: z.string(),
    about: z.string(),
    ms: z.int(),
    reason: z.exactOptional(z.string()),
  },
  'With --scenario: it has ended.',
)

export const summaryLine = line(
  'summary',
  { scenarios: count, passed: count, ms: z.int() },
  'With --scenario and several files: all have ended.',
)

export const headlessLine = z.union([
  ...speakerEvent.options,
  packetLine,
  snapshotLine,
  errorLine,
  stepLine,
  scenarioLine,
  summaryLine,
])
export type HeadlessLine = z.infer<typeof headlessLine>
