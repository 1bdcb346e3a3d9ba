import { say } from '../shared/say.ts'
import { remark, right, type Verdict, wrong } from '../shared/verdict.ts'

const PREFIX = 'whsec_'
/** Standard Webhooks 1.0.0 has 24 to 64 bytes. */
const FEWEST_BYTES = 24
const MOST_BYTES = 64

/** Reads what a reader has typed as the secret; `key` is undefined when nothing can be verified with it. */
export function readSecret(typed: string): Verdict & { key: Uint8Array | undefined } {
  const secret = typed.trim()
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  const unusable = (says: string) => ({ ...wrong(says), key: undefined })
  if (secret === '')
    return unusable(
      say({
        en: `Type the secret of the webhook: ${PREFIX} and base64.`,
        vi: `Hãy gõ khoá bí mật của webhook: ${PREFIX} và base64.`,
      }),
    )
  if (secret.startsWith('sbs_'))
    return unusable(
      say({
        en: `This is your client secret. A webhook has a secret of its own, which starts with ${PREFIX}.`,
        vi: `Đây là khoá bí mật của client (client secret). Webhook có khoá bí mật riêng, bắt đầu bằng ${PREFIX}.`,
      }),
    )
  const key = fromBase64(encoded)
  if (!key) return unusable(notBase64(encoded))
  return { ...judgeKey(key.length, typed), key }
}

function judgeKey(length: number, typed: string): Verdict {
  const size = say({ en: `${length} bytes`, vi: `${length} byte` })
  if (length < FEWEST_BYTES)
    return wrong(
      say({
        en: `It is too short: ${size}, and ${FEWEST_BYTES} are the least. Was a part of it lost?`,
        vi: `Khoá quá ngắn: ${size}, ít nhất phải là ${FEWEST_BYTES}. Có bị mất một phần không?`,
      }),
    )
  if (length > MOST_BYTES)
    return wrong(
      say({
        en: `It is too long: ${size}, and ${MOST_BYTES} are the most.`,
        vi: `Khoá quá dài: ${size}, nhiều nhất là ${MOST_BYTES}.`,
      }),
    )
  if (!typed.trim().startsWith(PREFIX))
    return wrong(
      say({
        en: `It lacks ${PREFIX} at its start. It is read as if it had it: ${size}.`,
        vi: `Thiếu ${PREFIX} ở đầu. Khoá được đọc như thể có: ${size}.`,
      }),
    )
  if (typed !== typed.trim())
    return remark(
      say({
        en: `It has white space around it, which is not part of it: ${size}.`,
        vi: `Có khoảng trắng ở đầu hoặc cuối, không thuộc về khoá: ${size}.`,
      }),
    )
  return right(say({ en: `${PREFIX} and ${size} in base64.`, vi: `${PREFIX} và ${size} dạng base64.` }))
}

function notBase64(encoded: string): string {
  if (encoded === '')
    return say({ en: `Behind ${PREFIX} there is nothing.`, vi: `Sau ${PREFIX} không có gì.` })
  const strange = /[^A-Za-z0-9+/=]/.exec(encoded)
  if (!strange)
    return say({
      en: `Behind ${PREFIX} it is not base64: its length or its = do not fit. Was a part of it lost?`,
      vi: `Phần sau ${PREFIX} không phải là base64: độ dài hoặc dấu = không khớp. Có bị mất một phần không?`,
    })
  const [character] = encoded.slice(strange.index)
  const shown = /\s/.test(character ?? '') ? say({ en: 'white space', vi: 'khoảng trắng' }) : character
  return say({
    en: `Behind ${PREFIX} it is not base64: it has ${shown} at character ${strange.index + 1}.`,
    vi: `Phần sau ${PREFIX} không phải là base64: có ${shown} ở ký tự thứ ${strange.index + 1}.`,
  })
}

/** Strict: with padding. Undefined when it is not base64, or empty. */
function fromBase64(text: string): Uint8Array | undefined {
  if (!/^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
