import { readBeneficiary } from './beneficiary.ts'
import { crcOf } from './crc.ts'
import { failure, type QrResult, success } from './error.ts'
import { type Definition, findField, type Level, levelWithin, matching, optional, required } from './level.ts'
import { checkSize } from './size.ts'
import { type PlacedField, readFields } from './tlv.ts'

/** The content of a payment QR code. */
export interface VietQr {
  /** 11: a static code for many payments. 12: a code for one payment. EMVCo allows a code without it. */
  initiation: '11' | '12' | undefined
  /** The bank's number, six digits. Undefined, like account and service, if the scheme is not VietQR. */
  bin: string | undefined
  account: string | undefined
  service: string | undefined
  /** ISO 4217, three digits: 704 is the dong. */
  currency: string
  /**
   * In the currency's unit, normalized so that equal amounts are equal texts: no leading zeros, and no trailing zeros
   * after a decimal point.
   */
  amount: string | undefined
  bill: string | undefined
  purpose: string | undefined
  /** ISO 3166-1, two letters. */
  country: string
  /** All top-level fields in the order of the payload. The CRC is last. */
  fields: readonly PlacedField[]
  /** The fields in template 62 in their order. Empty if the code has no such template. */
  additional: readonly PlacedField[]
}

const INITIATION: Definition<'11' | '12'> = {
  id: '01',
  name: 'point of initiation',
  read: (value) => (value === '11' || value === '12' ? value : undefined),
}
const FORMAT = matching('00', 'payload format', /^01$/)
const CURRENCY = matching('53', 'currency', /^[0-9]{3}$/)
const AMOUNT: Definition<string> = { id: '54', name: 'amount', read: readAmount }
const COUNTRY = matching('58', 'country', /^[A-Z]{2}$/)

/**
 * Parses a merchant-presented QR payload (EMV QRCPS 1.1) of VietQR or another scheme. It never throws.
 *
 *  1. Checks the text: size, no control characters, well-formed.
 *  2. Parses the top level: 00 first, 63 last, any order between them, the CRC in upper or lower case.
 *  3. Parses the values that the hub uses.
 *  4. Parses the templates that the hub uses: 62, and 38 with its inner template. It ignores all others.
 *
 * Why values in 62 may exceed EMVCo's 25 characters: such codes are in circulation, and a parser that refuses them
 * would hide their amount from the check. Builders respect the limit.
 */
export function parseVietQr(payload: string): QrResult<VietQr> {
  const top = readEnvelope(payload)
  if (!top.ok) return top
  const initiation = optional(top.value, INITIATION)
  if (!initiation.ok) return initiation
  const currency = required(top.value, CURRENCY)
  if (!currency.ok) return currency
  const amount = optional(top.value, AMOUNT)
  if (!amount.ok) return amount
  const country = required(top.value, COUNTRY)
  if (!country.ok) return country

  const account = findField(top.value, '38')
  const beneficiary = account ? readBeneficiary(account) : success(undefined)
  if (!beneficiary.ok) return beneficiary
  const template = findField(top.value, '62')
  const additional = template ? levelWithin(template) : success({ fields: [], end: 0 })
  if (!additional.ok) return additional

  return success({
    initiation: initiation.value,
    bin: beneficiary.value?.bin,
    account: beneficiary.value?.account,
    service: beneficiary.value?.service,
    currency: currency.value,
    amount: amount.value,
    bill: findField(additional.value, '01')?.value,
    purpose: findField(additional.value, '08')?.value,
    country: country.value,
    fields: top.value.fields,
    additional: additional.value.fields,
  })
}

/** The top level of a payload whose text, first field and CRC are valid. */
function readEnvelope(payload: string): QrResult<Level> {
  const sized = checkSize(payload)
  if (!sized.ok) return sized
  const bad = payload.search(/[\p{Cc}\p{Cs}]/u)
  if (bad !== -1) return failure('bad_character', bad, 'control characters and lone surrogates are refused')

  const fields = readFields(payload, 0)
  if (!fields.ok) return fields
  const top: Level = { fields: fields.value, end: payload.length }
  const format = required(top, FORMAT)
  if (!format.ok) return format
  const misplaced = findMisplaced(top.fields)
  if (misplaced) return failure('misplaced', misplaced.offset, '00 is the first field, 63 the last')
  const crc = required(top, matching('63', 'CRC', /^[0-9A-Fa-f]{4}$/))
  if (!crc.ok) return crc
  // The CRC covers everything before its four characters, including its own id and length.
  const valueAt = payload.length - 4
  if (crc.value.toUpperCase() !== crcOf(payload.slice(0, valueAt)))
    return failure('bad_crc', valueAt, 'the checksum is not that of the payload')
  return success(top)
}

function findMisplaced(fields: readonly PlacedField[]): PlacedField | undefined {
  return fields.find(
    ({ id }, index) => (id === '00' && index !== 0) || (id === '63' && index !== fields.length - 1),
  )
}

/** EMVCo: up to 13 characters, digits with at most one decimal point, above zero. */
function readAmount(value: string): string | undefined {
  if (value.length > 13 || !/^[0-9]+(\.[0-9]*)?$/.test(value) || !/[1-9]/.test(value)) return undefined
  const [whole = '', fraction = ''] = value.split('.')
  const significant = fraction.replace(/0+$/, '')
  return whole.replace(/^0+(?=[0-9])/, '') + (significant && `.${significant}`)
}
