import { z } from '@hono/zod-openapi'
import {
  record,
  story,
  device as storyDevice,
  health as storyHealth,
  store as storyStore,
} from './examples/story.ts'

/** The responses that several operations share, under the interface's names, and helpers to describe fields. */

/** A description with an example. */
export const shown = <T>(description: string, example: T) => ({ description, examples: [example] })

/** A string in a response, with its description and example. */
export const said = (description: string, example: string) => z.string().openapi(shown(description, example))

export const uuid = (description: string, example: string) => z.uuid().openapi(shown(description, example))

/** An instant in a response: ISO 8601 in UTC, with milliseconds. */
export const instant = (description: string, example: string) =>
  z.iso.datetime().openapi(shown(description, example))

export const whole = (description: string, example: number) => z.int().openapi(shown(description, example))

export const flag = (description: string, example: boolean) =>
  z.boolean().openapi(shown(description, example))

/** A count or sum that may exceed a JSON number. */
const digits = (description: string, example: string) =>
  z
    .string()
    .regex(/^[0-9]+$/)
    .openapi(shown(description, example))

export const storeDto = z
  .object({
    id: uuid('The store. It never changes.', storyStore.id),
    storeName: said("The shop's name, as the idle screens of its speakers show it.", storyStore.storeName),
    ownerName: said("The owner's name; empty when never given.", story.ownerName),
    identityNumber: said(
      "The number of the owner's identity document; empty when never given.",
      story.identityNumber,
    ),
    bankName: said('The name of the bank; empty when never given.', story.bankName),
    bankCode: said('The short code of the bank.', story.bankCode),
    bankAccountNumber: said('The number of the bank account.', story.bankAccountNumber),
    bankAccountName: said('The holder of the bank account.', story.bankAccountName),
    phoneNumber: said('The phone number, with the leading 0.', story.phoneNumber),
    terminalID: said('Your id of the till; callbacks identify the store by it.', story.terminalID),
    terminalName: said('A name for the till; empty when never given.', story.terminalName),
    staticQRCode: said("The text of the shop's static QR code; empty when never given.", story.staticQRCode),
    totalTransaction: digits('The number of payments; a repeated report is counted once.', '128'),
    totalAmount: digits('The sum of the payments in đồng.', '6400000'),
  })
  .openapi('PartnerStorePayloadDto', { description: 'A store: a till of a shop, with its bank account.' })

export const deviceDto = z
  .object({
    id: uuid('The device. It never changes.', storyDevice.id),
    serial: said('The serial printed on the device.', storyDevice.serial),
    deviceName: said("The device's name.", storyDevice.deviceName),
    active: flag('False when the device is locked: then it makes no announcements.', true),
    connected: flag('Whether the device is online now.', true),
    partnerClientId: said(
      'The client id of its partner; empty when nobody has registered it.',
      story.clientId,
    ),
    rmCode: said('The code of the relationship manager; empty when never given.', story.rmCode),
    stores: z.array(storeDto).openapi({
      description:
        'The stores whose payments it announces, in the order in which they were linked; empty when it is not linked.',
    }),
  })
  .openapi('PartnerDevicePayloadDto', { description: 'A speaker device.' })

/** A value that may be null. */
const orNull = <T extends z.ZodType>(schema: T, description: string, example: unknown) =>
  schema.nullable().openapi(shown(description, example))

const healthDto = z
  .object({
    lastSeenAt: orNull(
      z.iso.datetime(),
      'The last that was heard of it: the beginning or the end of a connection, or a report. Null when it was never connected. A few seconds old.',
      storyHealth.lastSeenAt,
    ),
    model: orNull(z.string(), 'Its model; null when it never said so.', 'SB-2'),
    firmware: orNull(z.string(), 'The version of its firmware; null when it never said so.', '1.0.0'),
    battery: orNull(z.int(), 'Percent; null when it did not say so.', 87),
    charging: orNull(
      z.boolean(),
      'Whether its battery is being charged; null when it did not say so.',
      false,
    ),
    signal: orNull(z.int(), 'dBm; null when it did not say so.', -61),
    volume: orNull(z.int(), 'Percent; null when it did not say so.', 80),
    reportedAt: orNull(
      z.iso.datetime(),
      'The time of its last report; up to half a minute old. Null before the first one.',
      storyHealth.reportedAt,
    ),
  })
  .openapi('DeviceHealthDto', { description: 'What the device has last said of itself.' })

const oneOf = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  z.enum(values).openapi(shown(description, values[0]))

export const abilitiesDto = z
  .object({
    dialect: said('The protocol that it speaks: `sb/1`, or a dialect of another maker.', 'sb/1'),
    profile: orNull(z.string(), 'The model of another maker; null for sb/1.', null),
    proof: oneOf(
      ['played', 'accepted', 'none'],
      'The best that it proves of a sound: that it is over, that the device takes the announcement, or nothing. Without `played`, an announcement ends as `delivered`.',
    ),
    identity: oneOf(
      ['device', 'weak'],
      '`weak`: many devices share the secret that it logs in with, or anybody can read it on the device. Whoever knows it can connect as this device.',
    ),
    pairing: oneOf(
      ['screen', 'spoken', 'qr', 'label'],
      'Where its verification code is. With `label`: printed on it, and `send-verification` is refused.',
    ),
    screen: flag('Shows its shop while it is idle.', true),
    qr: flag('Shows the QR of a bill.', true),
    missed: flag('Shows how many payments it has missed.', true),
    keypad: flag('Has keys for an amount. See the event `amount.keyed`.', false),
    settings: z
      .array(z.enum(['volume', 'lang']))
      .openapi(shown('The settings that you can change.', ['volume', 'lang'])),
    languages: z
      .array(z.enum(['vi', 'en']))
      .openapi(shown('The languages that it speaks; empty until it has said so.', ['vi', 'en'])),
    maxAmount: digits(
      'The highest amount in đồng that it can say. A higher one ends as `failed` with the reason `over_limit`, and is not sent.',
      '9999999999999',
    ),
  })
  .openapi('DeviceAbilitiesDto', { description: 'What a device can do.' })

export const deviceDetailDto = z
  .object({ ...deviceDto.shape, health: healthDto, abilities: abilitiesDto })
  .openapi('DeviceDetailDto', {
    description: 'A speaker device, what it has last said of itself, and what it can do.',
  })

export const qrRecordDto = z
  .object({
    id: uuid('The id of the bill; without a bill, of the payment.', record.id),
    bankName: said("The store's bank; empty when never given.", record.bankName),
    ...storeDto.pick({ bankCode: true, bankAccountNumber: true, bankAccountName: true }).shape,
    qrcode: said(
      "The bill's QR code; without a bill, the store's static QR, which may be empty.",
      record.qrcode,
    ),
    storeId: uuid('The store.', record.storeId),
    billNumber: said(
      'The bill number; as reported when the bill is unknown, empty when none was reported.',
      record.billNumber,
    ),
  })
  .openapi('CreateStoreQRResponseDto', { description: 'A QR code of a store.' })

export const errorDto = z
  .object({
    code: whole('The error for programs: the HTTP status and two more digits.', 40001),
    error: said("The code's name.", 'VALIDATION_FAILED'),
    message: said('The error for people. Safe to show.', 'Some fields are missing or invalid; see details.'),
    requestId: said("The request's id, as in the header X-Request-Id.", story.requestId),
    details: z
      .array(
        z.object({
          field: said(
            'The field; in an array with its index, as in `devices.0.active`. `body` is the whole body.',
            'bankCode',
          ),
          issue: said('What is wrong with it.', 'is required'),
        }),
      )
      .openapi({ description: 'Every wrong field; empty when the error is not about a field.' }),
  })
  .openapi('ErrorResponsePayloadDto', { description: 'The body of every error.' })
