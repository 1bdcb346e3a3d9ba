import fc from 'fast-check'
import { QRPay } from 'vietnam-qr-pay'
import { describe, expect, it } from 'vitest'
import { crcOf } from '../../../protocol/vietqr/crc.ts'
import { writeField } from '../../../protocol/vietqr/tlv.ts'

describe('crcOf', () => {
  it.each([
    // The catalogue of parametrised CRC algorithms gives 29B1 as the check value of CRC-16/CCITT-FALSE.
    ['123456789', '29B1'],
    ['', 'FFFF'],
    // Python's binascii.crc_hqx over the UTF-8 bytes, from FFFF.
    ['Trà 🧋', '9F54'],
  ])('%j is %s', (text, crc) => {
    expect(crcOf(text)).toBe(crc)
  })

  it('agrees with an independent implementation, also on UTF-8 beyond ASCII', () => {
    const letter = fc.constantFrom(...'aZ09 ~đườngữấ–₫漢')
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 1, maxLength: 99 }), (value) => {
        const covered = `${writeField({ id: '59', value })}6304`
        expect(new QRPay(covered + crcOf(covered)).isValid).toBe(true)
      }),
    )
  })
})
