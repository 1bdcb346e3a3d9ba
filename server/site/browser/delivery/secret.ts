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
  if (secret === '') return unusable(`Type the secret of the webhook: ${PREFIX} and base64.`)
  if (secret.startsWith('sbs_'))
    return unusable(
      `This is your client secret. A webhook has a secret of its own, which starts with ${PREFIX}.`,
    )
  const key = fromBase64(encoded)
  if (!key) return unusable(notBase64(encoded))
  return { ...judgeKey(key.length, typed), key }
}

function judgeKey(length: number, typed: string): Verdict {
  const size = `${length} bytes`
  if (length < FEWEST_BYTES)
    return wrong(`It is too short: ${size}, and ${FEWEST_BYTES} are the least. Was a part of it lost?`)
  if (length > MOST_BYTES) return wrong(`It is too long: ${size}, and ${MOST_BYTES} are the most.`)
  if (!typed.trim().startsWith(PREFIX))
    return wrong(`It lacks ${PREFIX} at its start. It is read as if it had it: ${size}.`)
  if (typed !== typed.trim()) return remark(`It has white space around it, which is not part of it: ${size}.`)
  return right(`${PREFIX} and ${size} in base64.`)
}

function notBase64(encoded: string): string {
  if (encoded === '') return `Behind ${PREFIX} there is nothing.`
  const strange = /[^A-Za-z0-9+/=]/.exec(encoded)
  if (!strange)
    return `Behind ${PREFIX} it is not base64: its length or its = do not fit. Was a part of it lost?`
  const [character] = encoded.slice(strange.index)
  const shown = /\s/.test(character ?? '') ? 'white space' : character
  return `Behind ${PREFIX} it is not base64: it has ${shown} at character ${strange.index + 1}.`
}

/** Strict: with padding. Undefined when it is not base64, or empty. */
function fromBase64(text: string): Uint8Array | undefined {
  if (!/^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
