import { randomInt } from 'node:crypto'
import { buildVietQr } from '../../../protocol/vietqr/build.ts'

/** The account of a fictitious shop. */
export const BANK = {
  bankName: 'MB Bank',
  bankCode: 'MB',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN THI MAY',
}
/** The bank's BIN in VietQR codes. */
const BANK_BIN = '970422'

/** The text of the shop's static QR. */
export function staticQr(): string {
  const built = buildVietQr({ bin: BANK_BIN, account: BANK.bankAccountNumber })
  if (!built.ok) throw new Error(built.error.message)
  return built.value
}

/** A unique transaction code. */
export function newFtCode(): string {
  return `FT${Date.now()}${randomInt(1_000, 10_000)}`
}
