import type { Finding } from './finding.ts'

const PREFIX = 'whsec_'
/** Standard Webhooks 1.0.0 has 24 to 64 bytes. */
const FEWEST_BYTES = 24
const MOST_BYTES = 64

/** What a reader has typed as the secret; `key` is undefined when nothing can be verified with it. */
export interface TypedSecret {
  key: Uint8Array | undefined
  finding: Finding
}

export function readSecret(typed: string): TypedSecret {
  const secret = typed.trim()
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  const key = fromBase64(encoded)
  const found = (grade: Finding['grade'], says: string) => ({
    key,
    finding: { about: 'Secret', grade, says } as const,
  })
  if (secret === '')
    return { ...found('wrong', `Type the secret of the webhook: ${PREFIX} and base64.`), key: undefined }
  if (secret.startsWith('sbs_'))
    return {
      ...found(
        'wrong',
        `This is your client secret. A webhook has a secret of its own, which starts with ${PREFIX}.`,
      ),
      key: undefined,
    }
  if (!key || key.length === 0) return { ...found('wrong', notBase64(encoded)), key: undefined }
  const size = `${key.length} bytes`
  if (key.length < FEWEST_BYTES)
    return found(
      'wrong',
      `It is too short: ${size}, and ${FEWEST_BYTES} are the least. Was a part of it lost?`,
    )
  if (key.length > MOST_BYTES)
    return found('wrong', `It is too long: ${size}, and ${MOST_BYTES} are the most.`)
  if (!secret.startsWith(PREFIX))
    return found('wrong', `It lacks ${PREFIX} at its start. It is read as if it had it: ${size}.`)
  if (typed !== secret)
    return found('remark', `It has white space around it, which is not part of it: ${size}.`)
  return found('right', `${PREFIX} and ${size} in base64.`)
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

/** Strict: with padding. Undefined when it is not base64. */
function fromBase64(text: string): Uint8Array | undefined {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
