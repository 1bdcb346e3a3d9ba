import { sign, toBase64 } from '../shared/digest.ts'
import { say } from '../shared/say.ts'
import { remark, right, type Verdict, wrong } from '../shared/verdict.ts'
import { judgeBody, looksUntouched } from './body.ts'
import { PARTS, type PastedDelivery } from './read.ts'
import { readSecret } from './secret.ts'
import { type Explained, explain, readSignatures } from './signatures.ts'
import { judgeTimestamp } from './timestamp.ts'

/** A verdict on one part of a delivery. */
export interface Finding extends Verdict {
  about: 'Secret' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature' | 'Body'
}

export interface Judgement extends Verdict {
  findings: Finding[]
  /** What has to be signed, and its signature. Undefined while a part of it is missing. */
  right: { content: string; signature: string } | undefined
}

/** Verifies a delivery as a receiver does, and says what is wrong with it. `now`: milliseconds. */
export function judge(delivery: PastedDelivery, typedSecret: string, now: number): Judgement {
  const { key, ...secret } = readSecret(typedSecret)
  const { id, timestamp, signature, body } = delivery
  const findings: Finding[] = [{ about: 'Secret', ...secret }]
  if (Object.values(delivery).every((part) => part === undefined)) {
    const nothing = remark(
      say({
        en: 'Paste a delivery: no header of a webhook and no body is in it.',
        vi: 'Hãy dán một lượt gửi: trong đây không có header nào của webhook và không có phần thân.',
      }),
    )
    return { ...nothing, findings, right: undefined }
  }
  const time = timestamp ? judgeTimestamp(timestamp, now) : absent(timestamp)
  const content = judgeBody(delivery)
  findings.push(
    {
      about: 'webhook-id',
      ...(id
        ? right(
            say({
              en: `${id}. A repeat has the same: take it once.`,
              vi: `${id}. Lần gửi lại có cùng giá trị này: chỉ xử lý một lần.`,
            }),
          )
        : absent(id)),
    },
    { about: 'webhook-timestamp', ...time },
  )
  if (!signature) findings.push({ about: 'webhook-signature', ...absent(signature) })
  findings.push({ about: 'Body', ...content })
  const missing = PARTS.filter((part) => !delivery[part]).map((part) => `webhook-${part}`)
  if (body === undefined) missing.push(say({ en: 'body', vi: 'phần thân' }))
  if (!key || !id || !timestamp || body === undefined) {
    const says =
      missing.length > 0
        ? incomplete(missing)
        : say({
            en: `Without the secret nothing can be verified. ${secret.says}`,
            vi: `Không có khoá bí mật thì không xác thực được gì. ${secret.says}`,
          })
    return { ...wrong(says), findings, right: undefined }
  }

  const toSign = `${id}.${timestamp}.${body}`
  const expected = { content: toSign, signature: `v1,${toBase64(sign(key, toSign))}` }
  if (!signature) return { ...wrong(incomplete(missing)), findings, right: expected }
  const given = readSignatures(signature)
  const signed = { id, timestamp, body, key, secret: typedSecret.trim() }
  const explained = given.signatures.map((one) => explain(one, signed))
  const verdicts = [...explained.map(judgeSignature), ...given.remarks.map(wrong)]
  findings.push(...verdicts.map((verdict) => ({ about: 'webhook-signature', ...verdict }) as const))
  return { ...conclude(explained, verdicts, { delivery, time, secret, content }), findings, right: expected }
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

/** The verdict on a header without a value. */
const absent = (header: string | undefined) =>
  wrong(
    header === undefined
      ? say({ en: 'The header is missing.', vi: 'Thiếu header này.' })
      : say({ en: 'The header is empty.', vi: 'Header này rỗng.' }),
  )

const incomplete = (missing: readonly string[]) =>
  say({
    en: `Refuse it: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Whoever sends it is not the hub, or something on the way has removed it.`,
    vi: `Hãy từ chối: thiếu ${missing.join(', ')}. Bên gửi không phải là hub, hoặc có gì đó trên đường đi đã bỏ mất.`,
  })

/** The verdict on one signature; of two, it says which. */
function judgeSignature({ verdict, says, instead }: Explained, index: number, all: readonly Explained[]) {
  const which =
    all.length === 1
      ? ''
      : say({
          en: `Signature ${index + 1} of ${all.length}: `,
          vi: `Chữ ký ${index + 1} trên ${all.length}: `,
        })
  if (verdict === 'right') {
    const newest =
      index === 0
        ? say({ en: 'your secret is the newest.', vi: 'khoá bí mật của bạn là mới nhất.' })
        : say({
            en: 'your secret is the one before: take the newest within 24 hours.',
            vi: 'khoá bí mật của bạn là khoá trước đó: hãy dùng khoá mới nhất trong vòng 24 giờ.',
          })
    const enough =
      all.length > 1
        ? say({
            en: ` One is enough while a secret is replaced; ${newest}`,
            vi: ` Trong lúc đổi khoá bí mật, một chữ ký là đủ; ${newest}`,
          })
        : ''
    return right(`${which}${says}${enough}`)
  }
  if (verdict === 'unknown' && all.some((one) => one.verdict !== 'unknown'))
    return remark(
      say({
        en: `${which}It is of the other secret, as it is for 24 hours after a rotation.`,
        vi: `${which}Chữ ký của khoá bí mật kia, như trong 24 giờ sau khi đổi khoá.`,
      }),
    )
  return wrong(`${which}${says}${instead === undefined ? '' : ` ${instead}`}`)
}

/** What is known before the signatures are compared. */
interface Parts {
  delivery: PastedDelivery
  time: Verdict
  secret: Verdict
  content: Verdict
}

function conclude(explained: readonly Explained[], verdicts: readonly Verdict[], parts: Parts): Verdict {
  const { time, secret } = parts
  if (explained.some(({ verdict }) => verdict === 'right')) {
    if (time.grade === 'wrong')
      return wrong(
        say({
          en: `The signature is right, and a receiver refuses it all the same. ${time.says}`,
          vi: `Chữ ký đúng, nhưng chương trình nhận vẫn từ chối. ${time.says}`,
        }),
      )
    if (time.grade === 'remark')
      return remark(
        say({
          en: 'The signature is right. Only its time is not of now, as with each delivery from a log: a receiver refuses it.',
          vi: 'Chữ ký đúng. Chỉ có thời gian không phải là lúc này, như mọi lượt gửi lấy từ nhật ký: chương trình nhận từ chối.',
        }),
      )
    if (secret.grade === 'wrong')
      return remark(
        say({
          en: 'The signature is right, but libraries may refuse the secret as it is written here.',
          vi: 'Chữ ký đúng, nhưng các thư viện có thể từ chối khoá bí mật viết như ở đây.',
        }),
      )
    return verdicts.some(({ grade }) => grade === 'wrong')
      ? remark(
          say({
            en: 'One signature is right: a receiver accepts it. See the other one below.',
            vi: 'Một chữ ký đúng: chương trình nhận chấp nhận. Hãy xem chữ ký kia ở bên dưới.',
          }),
        )
      : right(
          say({
            en: 'It is from the hub, and nothing was changed: a receiver accepts it.',
            vi: 'Lượt gửi này đến từ hub và không bị thay đổi gì: chương trình nhận chấp nhận.',
          }),
        )
  }
  const mistake = explained.find(({ verdict }) => verdict === 'mistake')
  if (mistake) return wrong(say({ en: `Refused. ${mistake.says}`, vi: `Bị từ chối. ${mistake.says}` }))
  return wrong(
    say({
      en: `Refused: no signature is of this secret and this content. ${guess(parts)}`,
      vi: `Bị từ chối: không có chữ ký nào của khoá bí mật này và nội dung này. ${guess(parts)}`,
    }),
  )
}

/** The likely cause of a mismatch. A MAC alone cannot distinguish a wrong secret from wrong content. */
function guess({ delivery, secret, content }: Parts): string {
  if (secret.grade === 'wrong')
    return say({ en: `Look at the secret: ${secret.says}`, vi: `Hãy xem lại khoá bí mật: ${secret.says}` })
  if (content.grade === 'wrong')
    return say({ en: `Look at the body: ${content.says}`, vi: `Hãy xem lại phần thân: ${content.says}` })
  if (looksUntouched(delivery))
    return say({
      en: 'The body looks as the hub writes it, so the secret is likely another one: each webhook has its own, hub listen has one for each client and machine, and a rotation replaces it.',
      vi: 'Phần thân trông đúng như hub viết, nên có lẽ khoá bí mật là khoá khác: mỗi webhook có khoá riêng, hub listen có một khoá cho mỗi client trên mỗi máy, và mỗi lần đổi khoá sẽ thay khoá đó.',
    })
  return say({
    en: 'The body was changed, or the secret is another one.',
    vi: 'Phần thân đã bị thay đổi, hoặc khoá bí mật là khoá khác.',
  })
}
