import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import { SERIAL_PATTERN } from '../../../protocol/topics.ts'
import { ISO_8601, parseIso8601 } from '../../platform/time/iso-8601.ts'
import { story } from './examples/story.ts'
import { shown } from './schemas.ts'
import {
  CONTROLS,
  CONTROLS_BUT_TAB_AND_NEWLINE,
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
 * The fields of the partner API, each with the issue that `details` shows for a wrong value. Lengths are in code points.
 * Values are not corrected, except that names lose outer spaces, and phone numbers their spaces, dots and dashes.
 *
 * Where JSON Schema cannot be derived from the rule, it is written beside the rule;
 * test/whole/server/http/openapi/documented-fields.test.ts compares the two in both directions.
 */

const REFERENCE_LENGTH = 64
const NAME_LENGTH = 128
const NOTICE_LENGTH = 512
const QR_LENGTH = 1024

export const amount = pattern(
  AMOUNT_PATTERN,
  'must be 1 to 13 digits without a leading zero, in đồng',
).openapi(shown('The amount in đồng, as a JSON string: a number is refused.', story.transactionAmount))

export const deviceSerial = pattern(
  SERIAL_PATTERN,
  'must be 4 to 32 letters, digits, underscores or hyphens',
).openapi(shown('The serial printed on the device; case-sensitive.', story.deviceSerial))

/** Spaces, dots and dashes, which are removed. */
const GAP = '[ .-]*'
const PHONE = new RegExp(
  `^${GAP}(?:(?:\\+${GAP})?8${GAP}4|0)${GAP}(?:[35789](?:${GAP}[0-9]){8}|2(?:${GAP}[0-9]){9})${GAP}$`,
)

/** Stored and returned with the leading 0. */
export const phoneNumber = pattern(PHONE, 'must be a Vietnamese phone number')
  .transform((value) => value.replaceAll(/[ .-]/g, '').replace(/^(\+?84|0)/, '0'))
  .openapi({
    description:
      'A Vietnamese phone number that starts with +84, 84 or 0. Spaces, dots and dashes are removed. Stored and returned with the leading 0.',
    examples: [story.phoneNumber],
  })

export const identityNumber = pattern(
  /^[A-Za-z0-9-]{6,20}$/,
  'must be 6 to 20 letters, digits or hyphens',
).openapi(shown("The number of the owner's identity document.", story.identityNumber))

const BANK_CODE = /^[A-Za-z0-9]{2,20}$/
export const bankCode = pattern(BANK_CODE, 'must be 2 to 20 letters or digits').openapi(
  shown('The short code of the bank.', story.bankCode),
)

export const bankAccountNumber = pattern(/^[A-Za-z0-9]{4,34}$/, 'must be 4 to 34 letters or digits').openapi(
  shown('The number of the bank account.', story.bankAccountNumber),
)

const referenceText = printable(1, REFERENCE_LENGTH)
const reference = (description: string, example: string) => referenceText.openapi(shown(description, example))

export const terminalID = reference(
  'Your own id of the till. It identifies one of your stores, and callbacks contain it.',
  story.terminalID,
)

export const rmCode = reference(
  'The code of the relationship manager who looks after the shop.',
  story.rmCode,
)

export const billNumber = reference(
  'Your number of the bill, unique within the store. In a QR that the hub builds, it has at most 25 ASCII characters.',
  story.billNumber,
)

export const storeId = reference('The id of the store, from the response of its registration.', story.storeId)

const name = trimmed(NAME_LENGTH)

/** A name with its description and example. */
export const named = (description: string, example: string) =>
  name.openapi(shown(`${description} 1 to ${NAME_LENGTH} characters; outer spaces are removed.`, example))

export const storeName = named(
  "The shop's name, as the idle screens of its speakers show it.",
  story.storeName,
)
export const bankName = named('The name of the bank.', story.bankName)
export const bankAccountName = named('The holder of the bank account.', story.bankAccountName)

const qrText = printable(1, QR_LENGTH)

export const staticQRCode = qrText.openapi({
  description:
    "The text of the shop's static QR code, which its idle screens show. If it is EMVCo (VietQR), the hub can build the codes of bills from it.",
  examples: [story.staticQRCode],
})

const LABEL_PART = '[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{4}'
export const verificationCode = pattern(
  new RegExp(`^([0-9]{6}|${LABEL_PART}-?${LABEL_PART}-?${LABEL_PART})$`),
  'must be 6 digits, or the 12 characters of a label',
).openapi(
  shown(
    "The code on the device's screen. A wrong guess ends it. For a device whose `pairing` is `label`: the 12 characters that are printed on it, in capital or small letters, with or without hyphens between each four.",
    story.verificationCode,
  ),
)

/** The text, which is signed, and its instant in milliseconds. */
export const payDate = text()
  .transform((written, context) => {
    const at = parseIso8601(written)
    if (at === undefined) context.addIssue('must be an ISO 8601 date and time')
    return { written, at: at ?? 0 }
  })
  .openapi({
    type: 'string',
    description:
      'The time of the payment in ISO 8601; without an offset it is +07:00. An impossible date, or a time more than 24 hours ahead, is refused; there is no limit in the past.',
    pattern: ISO_8601.source,
    examples: [story.payDate],
  })

const CREDENTIAL_LENGTH = 512

/** Any string. Its error does not say what is wrong with a credential. */
export const credential = text()
  .min(1, 'is required')
  .refine((value) => lengthBetween(value, 1, CREDENTIAL_LENGTH), 'is too long')
  .openapi({ minLength: 1, maxLength: CREDENTIAL_LENGTH })

const referenceOrEmpty = (description: string, example: string) =>
  orEmpty(referenceText, { pattern: without(CONTROLS), maxLength: REFERENCE_LENGTH }, description, example)
const NONE = 'Absent, null and empty mean the same.'

export const bankCodeOrEmpty = orEmpty(
  bankCode,
  { pattern: `^$|${BANK_CODE.source}` },
  `The short code of the bank that received the payment. It chooses among several stores, and is part of a payment's identity. ${NONE}`,
  story.bankCode,
)
export const billNumberOrEmpty = referenceOrEmpty(
  `The bill that was paid. Without a known bill, it is a payment to the shop's static QR. ${NONE}`,
  story.billNumber,
)
export const noticeOrEmpty = orEmpty(
  multiline(NOTICE_LENGTH),
  { pattern: without(CONTROLS_BUT_TAB_AND_NEWLINE), maxLength: NOTICE_LENGTH },
  `The payer's note. Tab and newline are allowed. ${NONE}`,
  story.notice,
)
export const traceTransferOrEmpty = referenceOrEmpty(
  `The trace of the transfer. Required without \`ftCode\`: then it identifies the payment together with \`bankCode\` and \`payDate\`. ${NONE}`,
  story.traceTransfer,
)
export const ftCodeOrEmpty = referenceOrEmpty(
  `The transaction's code. It identifies the payment together with \`bankCode\`. Without it, \`traceTransfer\` is required. ${NONE}`,
  story.ftCode,
)
export const qrcodeOrEmpty = orEmpty(
  qrText,
  { pattern: without(CONTROLS), maxLength: QR_LENGTH },
  `The text to show as QR code. If it is EMVCo and contains an amount, that must be \`transactionAmount\`. If absent, null or empty, the hub builds it from the store's \`staticQRCode\`.`,
  story.qrcode,
)
