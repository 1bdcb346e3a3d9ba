import { canonicalString, decodeChecksum, type SignedFields } from '../../payments/canonical-string.ts'
import { findWrongKey, findWrongRecipe } from '../../payments/wrong-recipes.ts'
import { parseIso8601 } from '../../platform/time/iso-8601.ts'
import { sign, toHex } from './shared/digest.ts'
import { right, type Verdict, wrong } from './shared/verdict.ts'

/** The strings that the hub accepts: with the date as received, and as its `toISOString()`. */
function acceptedStrings(fields: SignedFields): { asSent: string; withIsoDate: string } {
  const instant = parseIso8601(fields.payDate)
  const payDate = instant === undefined ? fields.payDate : new Date(instant).toISOString()
  return { asSent: canonicalString(fields), withIsoDate: canonicalString({ ...fields, payDate }) }
}

/** Checks the string that the reader's code has signed. */
export function checkString(fields: SignedFields, theirs: string): Verdict {
  const { asSent, withIsoDate } = acceptedStrings(fields)
  if (theirs === asSent) return right('Your string is right.')
  if (theirs === withIsoDate)
    return right('Your string is right too: the hub accepts payDate as its toISOString().')
  const recipe = findWrongRecipe(fields, (text) => text === theirs)
  if (theirs.trim() === asSent)
    return wrong(
      `Your string is right except for white space around it: if your code signs that too, remove it.${recipe ? ` Then it was ${recipe.mistake}: ${recipe.instead}.` : ''}`,
    )
  if (recipe) return wrong(`Yours is ${recipe.mistake}: ${recipe.instead}.`)
  return wrong('Your string differs, and no known mistake explains it: see the difference below.')
}

/** Checks the reader's checksum; `theirs` is the reader's string, which may be empty. */
export function checkChecksum(
  fields: SignedFields,
  secret: string,
  received: string,
  theirs: string,
): Verdict {
  const digest = decodeChecksum(received.trim())
  if (!digest) return wrong('Your checksum is not 32 bytes in hex, base64 or base64url.')
  const isOf = (text: string, key = secret) => toHex(sign(key, text)) === toHex(digest)
  const { asSent, withIsoDate } = acceptedStrings(fields)
  if (isOf(asSent)) return right('Your checksum is right: the hub accepts it.')
  if (isOf(withIsoDate))
    return right('Your checksum is right: it was computed with payDate as its toISOString().')
  const recipe =
    findWrongRecipe(fields, (text) => isOf(text)) ?? findWrongKey(secret, (key) => isOf(asSent, key))
  if (recipe) return wrong(`Your checksum was ${recipe.mistake}: ${recipe.instead}.`)
  if (theirs !== '' && isOf(theirs))
    return wrong('Your checksum is the right HMAC of your string: only the string is wrong.')
  if (theirs === asSent)
    return wrong(
      'Your string is right, your checksum is not: is the key the client secret as it was printed, and the hash SHA-256?',
    )
  return wrong(
    'Your checksum is wrong, and no known mistake explains it: did you sign these values with this secret?',
  )
}
