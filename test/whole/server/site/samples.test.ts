import { describe, expect, it } from 'vitest'
import { checksumVectors, toBeSigned } from '../../../support/checksum-vectors.ts'
import {
  LANGUAGES,
  type Language,
  missing,
  placeholders,
  readSample,
  STEPS,
  type Step,
} from '../../../support/samples/samples.ts'
import { signWithSample } from '../../../support/samples/signing-samples.ts'

/** What each step's sample leaves open, with the file that it shares. */
const OPEN = {
  get_token: ['CLIENT_ID', 'CLIENT_SECRET', 'HUB'],
  show_code: ['HUB', 'SERIAL', 'TOKEN'],
  register: ['BANK_CODE', 'CODE', 'HUB', 'SERIAL', 'TERMINAL_ID', 'TOKEN'],
  show_qr: ['AMOUNT', 'BILL_NUMBER', 'HUB', 'STORE_ID', 'TOKEN'],
  report_payment: [
    ...['AMOUNT', 'BANK_CODE', 'BILL_NUMBER', 'CLIENT_SECRET', 'FT_CODE', 'HUB', 'TERMINAL_ID', 'TOKEN'],
  ],
}

/** A client needs the credentials for every step, and no token. */
const open = ({ usesClient }: Language, step: Step) =>
  usesClient
    ? [...new Set([...OPEN[step], 'CLIENT_ID', 'CLIENT_SECRET'])].filter((name) => name !== 'TOKEN').sort()
    : OPEN[step]

describe.each(LANGUAGES)('the samples in $name', (language) => {
  it.each(STEPS)('have the placeholders of %s that the page fills in', (step) => {
    expect(placeholders(readSample('hub', language) + readSample(step, language))).toEqual(
      open(language, step),
    )
  })

  it('sign every vector correctly', async ({ skip }) => {
    const why = missing(language)
    skip(why !== undefined, why)
    const made = await signWithSample(
      language,
      checksumVectors.key,
      toBeSigned.map(({ fields }) => fields),
    )
    expect(made).toEqual(toBeSigned.map(({ hex, canonical }) => ({ hex, canonical })))
  })
})
