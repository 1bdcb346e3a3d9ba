import fc from 'fast-check'
import type { VietQrParts } from '../../../protocol/vietqr/arguments.ts'
import { buildVietQr } from '../../../protocol/vietqr/build.ts'
import { crcOf } from '../../../protocol/vietqr/crc.ts'
import type { QrResult } from '../../../protocol/vietqr/error.ts'

/** Payloads for tests: valid ones, arbitrary ones, and arbitrary text with a valid CRC. */

/** The value of a result that must be ok. */
export function unwrap<T>(result: QrResult<T>): T {
  if (!result.ok) throw new Error(`${result.error.kind} at ${result.error.offset}: ${result.error.message}`)
  return result.value
}

/** Appends field 63 with the CRC. */
export function withCrc(fields: string): string {
  return `${fields}6304${crcOf(`${fields}6304`)}`
}

/** A static VietQR of account 0011012345678 at bank 970403. */
export const STATIC_QR = unwrap(buildVietQr({ bin: '970403', account: '0011012345678' }))

const text = fc.stringMatching(/^[\x20-\x7e]{1,25}$/)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** Arguments for `buildVietQr`. */
export const parts: fc.Arbitrary<VietQrParts> = fc.record({
  bin: fc.stringMatching(/^[0-9]{6}$/),
  account: fc.stringMatching(/^[\x21-\x7e]{1,19}$/),
  service: maybe(fc.constantFrom('QRIBFTTA', 'QRIBFTTC', 'QRPUSH')),
  amount: maybe(fc.stringMatching(/^[1-9][0-9]{0,12}$/)),
  bill: maybe(text),
  purpose: maybe(text),
})
