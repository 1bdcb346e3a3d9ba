import { sign, toBase64 } from '../shared/digest.ts'
import { judgeBody, looksUntouched } from './body.ts'
import type { Finding, Grade } from './finding.ts'
import { PARTS, type PastedDelivery } from './read.ts'
import { readSecret } from './secret.ts'
import { type Explained, explain, readSignatures, type Signed } from './signatures.ts'
import { judgeTimestamp } from './timestamp.ts'

export interface Judgement {
  grade: Grade
  says: string
  findings: Finding[]
  /** What has to be signed, and its signature. Undefined while a part of it is missing. */
  right: { content: string; signature: string } | undefined
}

/** Verifies a delivery as a receiver does, and says what is wrong with it. `now`: milliseconds. */
export function judge(delivery: PastedDelivery, typedSecret: string, now: number): Judgement {
  const { key, finding: secret } = readSecret(typedSecret)
  const { id, timestamp, body } = delivery
  if (Object.values(delivery).every((part) => part === undefined)) {
    const says = 'Paste a delivery: no header of a webhook and no body is in it.'
    return { grade: 'remark', says, findings: [secret], right: undefined }
  }
  const time = judgeTimestamp(timestamp, now)
  const content = judgeBody(delivery)
  const parts = [secret, judgeId(delivery), time, judgeSignatureHeader(delivery), content]
  const findings = parts.filter((finding) => finding !== undefined)
  const missing = [
    ...PARTS.filter((part) => !delivery[part]).map((part) => `webhook-${part}`),
    ...(body === undefined ? ['body'] : []),
  ]
  if (!key || !id || !timestamp || body === undefined) {
    const says =
      missing.length > 0 ? incomplete(missing) : `Without the secret nothing can be verified. ${secret.says}`
    return { grade: 'wrong', says, findings, right: undefined }
  }

  const signed: Signed = { id, timestamp, body, key, secret: typedSecret.trim() }
  const toSign = `${id}.${timestamp}.${body}`
  const right = { content: toSign, signature: `v1,${toBase64(sign(key, toSign))}` }
  if (!delivery.signature) return { grade: 'wrong', says: incomplete(missing), findings, right }
  const given = readSignatures(delivery.signature)
  const explained = given.signatures.map((signature) => explain(signature, signed))
  const about = 'webhook-signature'
  findings.push(...explained.map((one, index) => describe(one, index, explained)))
  for (const says of given.remarks) findings.push({ about, grade: 'wrong', says })
  return { ...conclude(explained, findings, { delivery, time, secret, content }), findings, right }
}

/** Whether a signature that the reader's code computes is that of the delivery. */
export function judgeOwn(
  own: string,
  { id, timestamp, body }: PastedDelivery,
  typedSecret: string,
): Explained | undefined {
  const { key } = readSecret(typedSecret)
  const [signature] = readSignatures(own).signatures
  if (!key || !id || !timestamp || body === undefined || !signature) return undefined
  return explain(signature, { id, timestamp, body, key, secret: typedSecret.trim() })
}

function judgeId({ id }: PastedDelivery): Finding | undefined {
  const about = 'webhook-id'
  if (id === undefined) return { about, grade: 'wrong', says: 'The header is missing.' }
  if (id === '') return { about, grade: 'wrong', says: 'The header is empty.' }
  return { about, grade: 'right', says: `${id}. A repeat has the same: take it once.` }
}

function judgeSignatureHeader({ signature }: PastedDelivery): Finding | undefined {
  if (signature) return undefined
  const says = signature === undefined ? 'The header is missing.' : 'The header is empty.'
  return { about: 'webhook-signature', grade: 'wrong', says }
}

const incomplete = (missing: readonly string[]) =>
  `Refuse it: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Whoever sends it is not the hub, or something on the way has removed it.`

/** A sentence about one signature; of two, it says which. */
function describe({ verdict, says, instead }: Explained, index: number, all: readonly Explained[]): Finding {
  const about = 'webhook-signature'
  const which = all.length === 1 ? '' : `Signature ${index + 1} of ${all.length}: `
  const isOtherKnown = all.some((one) => one.verdict !== 'unknown')
  if (verdict === 'right') {
    const newest =
      index === 0
        ? 'your secret is the newest.'
        : 'your secret is the one before: take the newest within 24 hours.'
    return {
      about,
      grade: 'right',
      says: `${which}${says}${all.length > 1 ? ` One is enough while a secret is replaced; ${newest}` : ''}`,
    }
  }
  if (verdict === 'unknown' && isOtherKnown)
    return {
      about,
      grade: 'remark',
      says: `${which}It is of the other secret, as it is for 24 hours after a rotation.`,
    }
  return { about, grade: 'wrong', says: `${which}${says}${instead === undefined ? '' : ` ${instead}`}` }
}

/** What is known before the signatures are looked at. */
interface Parts {
  delivery: PastedDelivery
  time: Finding
  secret: Finding
  content: Finding
}

function conclude(
  explained: readonly Explained[],
  findings: readonly Finding[],
  { delivery, time, secret, content }: Parts,
): Pick<Judgement, 'grade' | 'says'> {
  if (explained.some(({ verdict }) => verdict === 'right')) {
    if (time.grade === 'wrong')
      return {
        grade: 'wrong',
        says: `The signature is right, and a receiver refuses it all the same. ${time.says}`,
      }
    if (time.grade === 'remark')
      return {
        grade: 'remark',
        says: 'The signature is right. Only its time is not of now, as with each delivery from a log: a receiver refuses it.',
      }
    if (secret.grade === 'wrong')
      return {
        grade: 'remark',
        says: 'The signature is right, but libraries may refuse the secret as it is written here.',
      }
    const spelled = findings.some(({ about, grade }) => about === 'webhook-signature' && grade === 'wrong')
    return spelled
      ? { grade: 'remark', says: 'One signature is right: a receiver accepts it. See the other one below.' }
      : { grade: 'right', says: 'It is from the hub, and nothing was changed: a receiver accepts it.' }
  }
  const mistake = explained.find(({ verdict }) => verdict === 'mistake')
  if (mistake) return { grade: 'wrong', says: `Refused. ${mistake.says}` }
  return {
    grade: 'wrong',
    says: `Refused: no signature is of this secret and this content. ${guess({ delivery, time, secret, content })}`,
  }
}

/** Why nothing fits. A MAC does not tell a wrong secret from a wrong content, but these may. */
function guess({ delivery, secret, content }: Parts): string {
  if (secret.grade === 'wrong') return `Look at the secret: ${secret.says}`
  if (content.grade === 'wrong') return `Look at the body: ${content.says}`
  if (looksUntouched(delivery))
    return 'The body looks as the hub writes it, so the secret is likely another one: each webhook has its own, each start of hub listen makes a new one, and a rotation replaces it.'
  return 'The body was changed, or the secret is another one.'
}
