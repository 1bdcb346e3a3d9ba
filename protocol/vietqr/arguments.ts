import { amount as amountField } from '../messages/fields.ts'
import { ACCOUNT, BIN } from './beneficiary.ts'
import type { ArgumentErrorKind, QrError } from './error.ts'

/** The arguments for building a VietQR. */
export interface VietQrParts {
  /** The bank's number at NAPAS: six digits. */
  bin: string
  /** 1 to 19 visible ASCII characters. */
  account: string
  /** 1 to 10 capitals or digits. Default: QRIBFTTA, a transfer to an account. */
  service?: string | undefined
  /** Whole dong, 1 to 13 digits without a leading zero. */
  amount?: string | undefined
  /** 1 to 25 printable ASCII characters. */
  bill?: string | undefined
  /** 1 to 25 printable ASCII characters. */
  purpose?: string | undefined
}

interface Check {
  name: keyof VietQrParts
  kind: ArgumentErrorKind
  valid(value: string): boolean
  rule: string
}

/** EMVCo's "ans" characters, up to the 25 that a value in template 62 may have. */
const isAdditional = (value: string) => /^[\x20-\x7e]{1,25}$/.test(value)

const CHECKS: readonly Check[] = [
  {
    name: 'bin',
    kind: 'bad_bin',
    valid: (value) => BIN.read(value) !== undefined,
    rule: 'a bank number is six digits',
  },
  {
    name: 'account',
    kind: 'bad_account',
    valid: (value) => ACCOUNT.read(value) !== undefined,
    rule: 'an account is 1 to 19 visible ASCII characters',
  },
  {
    name: 'service',
    kind: 'bad_service',
    valid: (value) => /^[A-Z0-9]{1,10}$/.test(value),
    rule: 'a service is 1 to 10 capitals or digits',
  },
  {
    name: 'amount',
    kind: 'bad_amount',
    valid: (value) => amountField.safeParse(value).success,
    rule: 'an amount is 1 to 13 digits, not led by 0',
  },
  {
    name: 'bill',
    kind: 'bad_bill',
    valid: isAdditional,
    rule: 'a bill number in a code is 1 to 25 printable ASCII characters',
  },
  {
    name: 'purpose',
    kind: 'bad_purpose',
    valid: isAdditional,
    rule: 'a purpose in a code is 1 to 25 printable ASCII characters',
  },
]

/** The error of the first invalid argument, or undefined if all are valid. */
export function wrongArgument(given: Partial<VietQrParts>): QrError | undefined {
  for (const { name, kind, valid, rule } of CHECKS) {
    const value = given[name]
    if (value !== undefined && !valid(value)) return { kind, offset: 0, message: rule }
  }
  return undefined
}
