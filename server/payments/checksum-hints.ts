import { timingSafeEqual } from 'node:crypto'
import { canonicalString, decodeChecksum, type SignedFields } from './canonical-string.ts'
import { sign } from './checksum.ts'
import { CLIENT_ID_AS_KEY, findWrongKey, findWrongRecipe } from './wrong-recipes.ts'

/** Names the well-known mistake behind a wrong checksum and its remedy; undefined when no known mistake explains it. */
export function explainChecksum(
  fields: SignedFields,
  received: string,
  secrets: readonly string[],
  clientId?: string,
): string | undefined {
  const digest = decodeChecksum(received)
  if (!digest) return 'is not 32 bytes in hex, base64 or base64url'
  const isHmac = (key: string, text: string) => timingSafeEqual(sign(key, text), digest)
  const right = canonicalString(fields)
  const named =
    findWrongRecipe(fields, (text) => secrets.some((secret) => isHmac(secret, text))) ??
    secrets.map((secret) => findWrongKey(secret, (key) => isHmac(key, right))).find(Boolean) ??
    (clientId !== undefined && isHmac(clientId, right) ? CLIENT_ID_AS_KEY : undefined)
  return named && `${named.mistake.en}: ${named.instead.en}`
}
