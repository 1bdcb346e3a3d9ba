import { type QrResult, success } from './error.ts'
import { findField, levelWithin, matching, required, requiredField } from './level.ts'
import { type PlacedField, writeField } from './tlv.ts'

/** The beneficiary of a VietQR, stored in field 38 (NAPAS, VietQR format, merchant account information). */
export interface Beneficiary {
  /** The bank's number at NAPAS: six digits. */
  bin: string
  /** Account or card number, or a merchant's id: up to 19 characters. */
  account: string
  /** QRIBFTTA to an account, QRIBFTTC to a card, QRPUSH to a merchant. */
  service: string | undefined
}

export const BIN = matching('00', 'bank number', /^[0-9]{6}$/)
export const ACCOUNT = matching('01', 'account', /^[\x21-\x7e]{1,19}$/)

/** The application id of NAPAS. It marks field 38 as a VietQR. */
const NAPAS_GUID = 'A000000727'

/** Parses field 38. The value is undefined if the field belongs to another scheme. */
export function readBeneficiary(field: PlacedField): QrResult<Beneficiary | undefined> {
  const template = levelWithin(field)
  if (!template.ok) return template
  const guid = requiredField(template.value, { id: '00', name: 'globally unique identifier' })
  if (!guid.ok) return guid
  if (guid.value.value !== NAPAS_GUID) return success(undefined)

  const organisation = requiredField(template.value, { id: '01', name: 'beneficiary organisation' })
  if (!organisation.ok) return organisation
  const bank = levelWithin(organisation.value)
  if (!bank.ok) return bank
  const bin = required(bank.value, BIN)
  if (!bin.ok) return bin
  const account = required(bank.value, ACCOUNT)
  if (!account.ok) return account
  const service = findField(template.value, '02')?.value
  return success({ bin: bin.value, account: account.value, service })
}

/** Writes the value of field 38. */
export function writeBeneficiary({ bin, account, service }: Beneficiary): string {
  const organisation = writeField({ id: BIN.id, value: bin }) + writeField({ id: ACCOUNT.id, value: account })
  return (
    writeField({ id: '00', value: NAPAS_GUID }) +
    writeField({ id: '01', value: organisation }) +
    (service === undefined ? '' : writeField({ id: '02', value: service }))
  )
}
