import { z } from '@hono/zod-openapi'
import { header } from './components.ts'
import { record, story, device as storyDevice, store as storyStore } from './examples/story.ts'

/** The answers that several operations share, under the interface's names, and how bodies are described. */

/** A string of an answer, in words and by example. */
export const said = (description: string, example: string) =>
  z.string().openapi({ description, examples: [example] })

export const uuid = (description: string, example: string) =>
  z.uuid().openapi({ description, examples: [example] })

/** An instant of an answer: ISO 8601 in UTC, with milliseconds. */
export const instant = (description: string, example: string) =>
  z.iso.datetime().openapi({ description, examples: [example] })

/** A count or a sum that may outgrow a JSON number. */
const digits = (description: string, example: string) =>
  z
    .string()
    .regex(/^[0-9]+$/)
    .openapi({ description, examples: [example] })

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
    terminalID: said('The till; callbacks name the store by it.', story.terminalID),
    terminalName: said('A name for the till; empty when never given.', story.terminalName),
    staticQRCode: said("The text of the shop's static QR code; empty when never given.", story.staticQRCode),
    totalTransaction: digits('How many payments were reported, each counted once.', '128'),
    totalAmount: digits('Their sum in đồng.', '6400000'),
  })
  .openapi('PartnerStorePayloadDto', { description: 'A store: a till of a shop, with its bank account.' })

export const deviceDto = z
  .object({
    id: uuid('The device. It never changes.', storyDevice.id),
    serial: said('The serial, as it stands on the device.', storyDevice.serial),
    deviceName: said("The device's name.", storyDevice.deviceName),
    active: z.boolean().openapi({
      description: 'False when it is locked: then it stays silent.',
      examples: [true],
    }),
    connected: z.boolean().openapi({
      description: 'Whether it is there at this moment.',
      examples: [true],
    }),
    partnerClientId: said(
      'The client id of its partner; empty when it is registered by nobody.',
      story.clientId,
    ),
    rmCode: said('The code of the relationship manager; empty when never given.', story.rmCode),
    stores: z.array(storeDto).openapi({
      description:
        'The stores that it announces for, in the order of their linking; empty when it is not linked.',
    }),
  })
  .openapi('PartnerDevicePayloadDto', { description: 'A speaker device.' })

export const qrRecordDto = z
  .object({
    id: uuid('The bill; without one, the payment.', record.id),
    bankName: said("The store's bank; empty when never given.", record.bankName),
    bankCode: said('The short code of the bank.', record.bankCode),
    bankAccountNumber: said('The number of the bank account.', record.bankAccountNumber),
    bankAccountName: said('The holder of the bank account.', record.bankAccountName),
    qrcode: said(
      "The bill's QR code; without a bill the store's static one, which may be empty.",
      record.qrcode,
    ),
    storeId: uuid('The store.', record.storeId),
    billNumber: said(
      'The bill; as it was reported when it is unknown, empty when there was none.',
      record.billNumber,
    ),
  })
  .openapi('CreateStoreQRResponseDto', { description: 'A QR code by which money comes to a store.' })

export const errorDto = z
  .object({
    code: z.int().openapi({
      description: 'What is wrong, for programs: three digits of HTTP status and two more.',
      examples: [40001],
    }),
    error: said("The code's name.", 'VALIDATION_FAILED'),
    message: said(
      'What is wrong, for people. Safe to show.',
      'The request has fields that are missing or not valid; see details.',
    ),
    requestId: said("The request's id, as in the header X-Request-Id.", story.requestId),
    details: z
      .array(
        z.object({
          field: said(
            'The field; inside an array with its place, as in `devices.0.active`. `body` is the whole.',
            'bankCode',
          ),
          issue: said('What is wrong with it.', 'is required'),
        }),
      )
      .openapi({ description: 'Every field that is wrong, all at once; empty when no field is to blame.' }),
  })
  .openapi('ErrorResponsePayloadDto', { description: 'The body of every error.' })

/** Bodies by name, each with a line on what it shows. */
export type Examples<T> = Readonly<Record<string, { summary: string; value: T }>>

interface AnswerParts<T> {
  examples?: Examples<T>
  /** Headers beside X-Request-Id. */
  headers?: Record<string, ReturnType<typeof header>>
}

/** An answer with a JSON body. */
export function json<T extends z.ZodType>(
  schema: T,
  description: string,
  { examples, headers }: AnswerParts<z.input<T>> = {},
) {
  return {
    description,
    headers: { 'X-Request-Id': header('RequestId'), ...headers },
    content: { 'application/json': { schema, ...(examples && { examples }) } },
  }
}

/** A required JSON request body. */
export function jsonRequest<T extends z.ZodType>(schema: T, examples?: Examples<z.input<T>>) {
  return {
    body: { required: true, content: { 'application/json': { schema, ...(examples && { examples }) } } },
  }
}

/** A description of several sentences. */
export const prose = (...sentences: string[]) => sentences.join(' ')
