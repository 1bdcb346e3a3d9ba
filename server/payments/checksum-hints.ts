import { timingSafeEqual } from 'node:crypto'
import { decodeChecksum, type SignedFields } from './canonical-string.ts'
import { sign } from './checksum.ts'
import { findWrongRecipe } from './wrong-recipes.ts'

/** Names the well-known mistake that explains a wrong checksum, and what to do instead, if one does. */
export function explainChecksum(
  fields: SignedFields,
  received: string,
  secrets: readonly string[],
): string | undefined {
  const digest = decodeChecksum(received)
  if (!digest) return 'is not 32 bytes in hex, base64 or base64url'
  const recipe = findWrongRecipe(fields, (text) =>
    secrets.some((secret) => timingSafeEqual(sign(secret, text), digest)),
  )
  return recipe && `${recipe.mistake}: ${recipe.instead}`
}
