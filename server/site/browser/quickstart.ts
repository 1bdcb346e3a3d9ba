import type { SignedField } from '../../payments/canonical-string.ts'
import { calculator } from './calculator.ts'
import { followContents } from './contents.ts'
import { copyButtons } from './shared/copy.ts'
import { languageTabs } from './tabs.ts'
import { fillValues } from './values.ts'

/** The values of the page that the calculator uses. */
const SIGNED_VALUES: Record<string, SignedField | 'secret'> = {
  CLIENT_SECRET: 'secret',
  TERMINAL_ID: 'terminalID',
  BANK_CODE: 'bankCode',
  BILL_NUMBER: 'billNumber',
  AMOUNT: 'transactionAmount',
  FT_CODE: 'ftCode',
}

const { fill } = calculator()
fillValues((name, text) => {
  const signed = SIGNED_VALUES[name]
  if (signed) fill(signed, text)
})
languageTabs()
copyButtons()
followContents()
