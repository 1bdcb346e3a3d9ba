import { type VietQrParts, wrongArgument } from './arguments.ts'
import { writeBeneficiary } from './beneficiary.ts'
import { crcOf } from './crc.ts'
import { failure, type QrResult } from './error.ts'
import { parseVietQr } from './parse.ts'
import { checkSize } from './size.ts'
import { type Field, HEADER_LENGTH, lengthOf, MAX_VALUE_LENGTH, type PlacedField, writeField } from './tlv.ts'

/** ISO 4217 number of the dong. */
const DONG = '704'

/**
 * Turns a static code into the code of one bill: sets initiation 12, the amount, the bill number and a new CRC. All
 * other fields, known or unknown, stay unchanged.
 *
 * Errors: those of `parseVietQr`; `bad_amount`; `bad_bill` if the bill is not 1 to 25 printable ASCII characters;
 * `bad_value` at field 53 if the code's currency is not the dong; `too_long` if field 62 or the payload has no room.
 *
 * @param amount whole dong, 1 to 13 digits without a leading zero
 */
export function buildDynamicQr(
  staticPayload: string,
  { amount, bill }: { amount: string; bill: string },
): QrResult<string> {
  const wrong = wrongArgument({ amount, bill })
  if (wrong) return { ok: false, error: wrong }
  const parsed = parseVietQr(staticPayload)
  if (!parsed.ok) return parsed
  const { currency, fields, additional } = parsed.value
  if (currency !== DONG)
    return failure('bad_value', offsetOf(fields, '53') + HEADER_LENGTH, 'the code is not in dong')

  const template = writeFields(put(additional, { id: '01', value: bill }))
  if (lengthOf(template) > MAX_VALUE_LENGTH)
    return failure('too_long', offsetOf(fields, '62'), 'field 62 has no room for the bill number')
  const dynamic = [
    { id: '01', value: '12' },
    { id: '54', value: amount },
    { id: '62', value: template },
  ].reduce<readonly Field[]>(put, fields)
  return seal(dynamic)
}

/**
 * Builds a VietQR. With an amount or a bill it is the code of one payment (initiation 12), otherwise a static code
 * (11). Errors: that of the first invalid argument.
 */
export function buildVietQr(parts: VietQrParts): QrResult<string> {
  const wrong = wrongArgument(parts)
  if (wrong) return { ok: false, error: wrong }
  const { bin, account, service = 'QRIBFTTA', amount, bill, purpose } = parts
  const template = writeFields(
    present([
      ['01', bill],
      ['08', purpose],
    ]),
  )
  return seal(
    present([
      ['00', '01'],
      ['01', amount === undefined && bill === undefined ? '11' : '12'],
      ['38', writeBeneficiary({ bin, account, service })],
      ['53', DONG],
      ['54', amount],
      ['58', 'VN'],
      ['62', template === '' ? undefined : template],
    ]),
  )
}

/** Sets one field: replaces it, or inserts it after the last field with a smaller id. */
function put(fields: readonly Field[], field: Field): readonly Field[] {
  const at = fields.findIndex(({ id }) => id === field.id)
  if (at !== -1) return fields.with(at, field)
  return fields.toSpliced(fields.findLastIndex(({ id }) => id < field.id) + 1, 0, field)
}

/** Writes the fields in their order, then the CRC over all of them. */
function seal(fields: readonly Field[]): QrResult<string> {
  const covered = `${writeFields(fields.filter(({ id }) => id !== '63'))}6304`
  return checkSize(covered + crcOf(covered))
}

function present(entries: readonly (readonly [id: string, value: string | undefined])[]): Field[] {
  return entries.flatMap(([id, value]) => (value === undefined ? [] : [{ id, value }]))
}

function writeFields(fields: readonly Field[]): string {
  return fields.map(writeField).join('')
}

/** The place of an existing field. */
function offsetOf(fields: readonly PlacedField[], id: string): number {
  return fields.find((field) => field.id === id)?.offset ?? 0
}
