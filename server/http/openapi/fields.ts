import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import { SERIAL_PATTERN } from '../../../protocol/topics.ts'
import { ISO_8601, parsePayDate } from '../../payments/pay-date.ts'
import { story } from './examples/story.ts'
import {
  CONTROLS,
  CONTROLS_BUT_TAB_AND_NEWLINE,
  type Limits,
  lengthBetween,
  multiline,
  orEmpty,
  pattern,
  printable,
  text,
  trimmed,
  without,
} from './text-rules.ts'

/**
 * The fields of the partner API, each with the one sentence that `details` shows when it is wrong.
 * Lengths are in code points. Nothing here repairs a value, except that names lose outer spaces and phone
 * numbers their spaces, dots and dashes.
 *
 * What each is documented to take is what it takes. Where JSON Schema can't be derived from the rule it stands
 * beside it, and test/server/http/documented-fields.test.ts compares the two, both ways.
 */

const REFERENCE_LENGTH = 64
const NAME_LENGTH = 128
const NOTICE_LENGTH = 512
const QR_LENGTH = 1024

export const amount = pattern(
  AMOUNT_PATTERN,
  'must be 1 to 13 digits without a leading zero, in đồng',
).openapi({
  description: 'The amount in đồng, as a JSON string: a number is refused.',
  examples: [story.amount],
})

export const deviceSerial = pattern(
  SERIAL_PATTERN,
  'must be 4 to 32 letters, digits, underscores or hyphens',
).openapi({
  description: 'The serial of the device, as it stands on it; case matters.',
  examples: [story.deviceSerial],
})

/** Where spaces, dots and dashes may stand: they are removed. */
const GAP = '[ .-]*'
const PHONE = new RegExp(
  `^${GAP}(?:(?:\\+${GAP})?8${GAP}4|0)${GAP}(?:[35789](?:${GAP}[0-9]){8}|2(?:${GAP}[0-9]){9})${GAP}$`,
)

/** Kept and returned with the leading 0. */
export const phoneNumber = pattern(PHONE, 'must be a Vietnamese phone number')
  .transform((value) => value.replaceAll(/[ .-]/g, '').replace(/^(\+?84|0)/, '0'))
  .openapi({
    description:
      'A Vietnamese phone number with +84, 84 or 0 in front; spaces, dots and dashes are removed. Kept and returned with the leading 0.',
    examples: [story.phoneNumber],
  })

export const identityNumber = pattern(
  /^[A-Za-z0-9-]{6,20}$/,
  'must be 6 to 20 letters, digits or hyphens',
).openapi({
  description: "The number of the owner's identity document.",
  examples: [story.identityNumber],
})

const BANK_CODE = /^[A-Za-z0-9]{2,20}$/
export const bankCode = pattern(BANK_CODE, 'must be 2 to 20 letters or digits').openapi({
  description: 'The short code of the bank.',
  examples: [story.bankCode],
})

export const bankAccountNumber = pattern(/^[A-Za-z0-9]{4,34}$/, 'must be 4 to 34 letters or digits').openapi({
  description: 'The number of the bank account.',
  examples: [story.bankAccountNumber],
})

/** terminalID, rmCode, billNumber, ftCode, traceTransfer, storeId. */
export const reference = printable(1, REFERENCE_LENGTH)

export const terminalID = reference.openapi({
  description: 'The till, by your own numbering; it names one store among yours, and callbacks carry it.',
  examples: [story.terminalID],
})

export const rmCode = reference.openapi({
  description: 'The code of the relationship manager who looks after the shop.',
  examples: [story.rmCode],
})

export const billNumber = reference.openapi({
  description:
    'Your number of the bill, unique within the store. A QR that the hub builds has room for 25 ASCII characters.',
  examples: [story.billNumber],
})

export const storeId = reference.openapi({
  description: 'The id of the store, as the registration answered it.',
  examples: [story.storeId],
})

export const name = trimmed(NAME_LENGTH)

/** A name in words: which, and one of the story's. */
export const named = (description: string, example: string) =>
  name.openapi({
    description: `${description} 1 to ${NAME_LENGTH} characters; outer spaces are removed.`,
    examples: [example],
  })

export const storeName = named(
  "The shop's name, as the idle screens of its speakers show it.",
  story.storeName,
)
export const bankName = named('The name of the bank.', story.bankName)
export const bankAccountName = named('The holder of the bank account.', story.bankAccountName)

export const notice = multiline(NOTICE_LENGTH)

export const qrText = printable(1, QR_LENGTH)

export const staticQRCode = qrText.openapi({
  description:
    "The text of the shop's static QR code, which its idle screens show. When it is EMVCo (VietQR), the hub can build the codes of bills from it.",
  examples: [story.staticQRCode],
})

export const verificationCode = pattern(/^[0-9]{6}$/, 'must be 6 digits').openapi({
  description: "The code on the device's screen. A wrong one burns it.",
  examples: [story.verificationCode],
})

/** As it was written, which is what is signed, and its instant in milliseconds. */
export const payDate = text()
  .transform((written, context) => {
    const at = parsePayDate(written)
    if (at === undefined) context.addIssue('must be an ISO 8601 date and time')
    return { written, at: at ?? 0 }
  })
  .openapi({
    type: 'string',
    description:
      'When it was paid, in ISO 8601; without an offset it is +07:00. A day that the calendar has not, and a moment more than 24 hours ahead, are refused; there is no limit in the past.',
    pattern: ISO_8601.source,
    examples: [story.payDate],
  })

const CREDENTIAL_LENGTH = 512

/** Any string, as credentials are: what is wrong with it is not said. */
export const credential = text()
  .min(1, 'is required')
  .refine((value) => lengthBetween(value, 1, CREDENTIAL_LENGTH), 'is too long')
  .openapi({ minLength: 1, maxLength: CREDENTIAL_LENGTH })

const REFERENCE: Limits = { pattern: without(CONTROLS), maxLength: REFERENCE_LENGTH }
const NONE = 'Absent, null and empty are the same.'

export const bankCodeOrEmpty = orEmpty(
  bankCode,
  { pattern: `^$|${BANK_CODE.source}` },
  `The short code of the bank that took the payment. It chooses only among several stores, and is part of what makes a payment the same. ${NONE}`,
  story.bankCode,
)
export const billNumberOrEmpty = orEmpty(
  reference,
  REFERENCE,
  `The bill that was paid; unknown or empty, it was a payment to the shop's static QR. ${NONE}`,
  story.billNumber,
)
export const noticeOrEmpty = orEmpty(
  notice,
  { pattern: without(CONTROLS_BUT_TAB_AND_NEWLINE), maxLength: NOTICE_LENGTH },
  `The payer's note; tab and newline are allowed. ${NONE}`,
  story.notice,
)
export const traceTransferOrEmpty = orEmpty(
  reference,
  REFERENCE,
  `The trace of the transfer. Without \`ftCode\` it is needed: with \`payDate\` it tells one payment from another. ${NONE}`,
  story.traceTransfer,
)
export const ftCodeOrEmpty = orEmpty(
  reference,
  REFERENCE,
  `The transaction's code: with \`bankCode\` it tells one payment from another. Without it \`traceTransfer\` is needed. ${NONE}`,
  story.ftCode,
)
export const qrcodeOrEmpty = orEmpty(
  qrText,
  { pattern: without(CONTROLS), maxLength: QR_LENGTH },
  `The text to show as QR code. One that is EMVCo and carries an amount must carry this amount. Left out, null or empty, the hub builds it from the store's \`staticQRCode\`.`,
  story.qrcode,
)
