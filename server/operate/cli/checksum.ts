import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { canonicalString } from '../../payments/canonical-string.ts'
import { isSigned, sign } from '../../payments/checksum.ts'
import { explainChecksum } from '../../payments/checksum-hints.ts'
import { parsePayDate } from '../../payments/pay-date.ts'
import { OperatorError } from '../../platform/errors.ts'
import { done, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

const orEmpty = z
  .string()
  .nullish()
  .transform((text) => text ?? '')

const callback = z.object({
  terminalID: orEmpty,
  bankCode: orEmpty,
  billNumber: orEmpty,
  transactionAmount: orEmpty,
  notice: orEmpty,
  payDate: orEmpty,
  traceTransfer: orEmpty,
  ftCode: orEmpty,
  checkSum: z.string(),
})

/** The output of `pay --json` contains the callback. */
const payOutput = z.object({ callback: z.unknown() })

/**
 * Explains a callback's checksum: the string to sign, and the partner whose secret signed it or the mistake behind it.
 * Without a secret, every live secret of every partner is tried.
 */
export async function checksum(
  workspace: Workspace,
  file: string,
  secret: string | undefined,
): Promise<Outcome> {
  const { checkSum, ...fields } = readCallback(file)
  const canonical = canonicalString(fields)
  const payDateIso = new Date(parsePayDate(fields.payDate) ?? 0).toISOString()
  const candidates = secret === undefined ? await secretsOf(workspace) : [{ clientId: undefined, secret }]

  const signer = candidates.find((one) => isSigned(fields, payDateIso, checkSum, [one.secret]))
  if (signer) {
    const by =
      signer.clientId === undefined ? 'under the given secret' : `under the secret of ${signer.clientId}`
    const json = { matches: true, clientId: signer.clientId ?? null, canonical }
    return done(json, `The checksum is right ${by}.\n  signed  ${canonical}`)
  }
  const secrets = candidates.map((one) => one.secret)
  const hint = explainChecksum(fields, checkSum, secrets)
  const expected = secret === undefined ? undefined : sign(secret, canonical).toString('hex')
  const lines = [
    `The checksum is wrong: ${hint ?? 'it matches no live secret, and no known mistake explains it'}.`,
    `  to sign   ${canonical}`,
    `  received  ${checkSum}`,
    expected === undefined
      ? '  (give the client secret with --secret to see the expected checksum)'
      : `  expected  ${expected}`,
  ]
  return refused(
    { matches: false, hint: hint ?? null, canonical, expected: expected ?? null },
    lines.join('\n'),
  )
}

async function secretsOf({ storage, clock }: Workspace) {
  const partners = await storage.partners.list()
  const each = partners.map(async ({ clientId }) => {
    const live = await storage.partners.liveSecrets(clientId, clock.now())
    return live.map(({ secret }) => ({ clientId, secret }))
  })
  return (await Promise.all(each)).flat()
}

function readCallback(file: string): z.infer<typeof callback> {
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch {
    throw new OperatorError(
      `The file ${file} cannot be read: give a file with the callback's JSON body, or - for standard input.`,
    )
  }
  try {
    const body: unknown = JSON.parse(text)
    return callback.parse(payOutput.safeParse(body).data?.callback ?? body)
  } catch {
    throw new OperatorError(
      `The file ${file} is not a callback's JSON body with a checkSum and string values.`,
    )
  }
}
