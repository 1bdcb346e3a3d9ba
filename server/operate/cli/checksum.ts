import { readFileSync } from 'node:fs'
import { canonicalString } from '../../payments/canonical-string.ts'
import { isSigned, sign } from '../../payments/checksum.ts'
import { explainChecksum } from '../../payments/checksum-hints.ts'
import { type PastedCallback, readCallback } from '../../payments/pasted-callback.ts'
import { OperatorError } from '../../platform/errors.ts'
import { parseIso8601 } from '../../platform/time/iso-8601.ts'
import { done, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

export interface ChecksumOptions {
  explain: string
  /** The secrets of all partners in the workspace when absent. */
  secret?: string
}

/**
 * Explains a callback's checksum: the string to sign, and the partner whose secret signed it or the mistake behind it.
 * Without a secret, every live secret of every partner is tried.
 */
export async function checksum(
  { explain: file, secret }: ChecksumOptions,
  workspace?: Workspace,
): Promise<Outcome> {
  const { fields, checkSum } = callbackIn(file)
  const canonical = canonicalString(fields)
  const payDateIso = () => new Date(parseIso8601(fields.payDate) ?? 0).toISOString()
  const candidates = workspace ? await secretsOf(workspace) : [{ clientId: null, secret: secret ?? '' }]

  const signer = candidates.find((one) => isSigned(fields, payDateIso, checkSum, [one.secret]))
  if (signer) {
    const { clientId } = signer
    const by = clientId === null ? 'the given secret' : `the secret of ${clientId}`
    const json = { matches: true, clientId, canonical }
    return done(json, `The checksum is right under ${by}.`, `  signed  ${canonical}`)
  }
  const secrets = candidates.map((one) => one.secret)
  const hint = explainChecksum(fields, checkSum, secrets) ?? null
  const expected = secret === undefined ? null : sign(secret, canonical).toString('hex')
  return refused(
    { matches: false, hint, canonical, expected },
    `The checksum is wrong: ${hint ?? 'it matches no live secret, and no known mistake explains it'}.`,
    `  to sign   ${canonical}`,
    `  received  ${checkSum}`,
    expected === null
      ? '  (give the client secret with --secret to see the expected checksum)'
      : `  expected  ${expected}`,
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

function callbackIn(file: string): PastedCallback {
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch {
    throw new OperatorError(
      `The file ${file} cannot be read: give a file with the callback's JSON body, or - for standard input.`,
    )
  }
  const callback = readCallback(text)
  if (typeof callback === 'string' || callback.remarks.length > 0 || callback.checkSum === '')
    throw new OperatorError(
      `The file ${file} is not a callback's JSON body with a checkSum and string values.`,
    )
  return callback
}
