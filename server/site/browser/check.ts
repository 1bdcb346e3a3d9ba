import { canonicalString, decodeChecksum, type SignedFields } from '../../payments/canonical-string.ts'
import { findWrongKey, findWrongRecipe } from '../../payments/wrong-recipes.ts'
import { parseIso8601 } from '../../platform/time/iso-8601.ts'
import { sign, toHex } from './shared/digest.ts'
import { say } from './shared/say.ts'
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
  if (theirs === asSent) return right(say({ en: 'Your string is right.', vi: 'Chuỗi của bạn đúng.' }))
  if (theirs === withIsoDate)
    return right(
      say({
        en: 'Your string is right too: the hub accepts payDate as its toISOString().',
        vi: 'Chuỗi của bạn cũng đúng: hub chấp nhận payDate ở dạng toISOString().',
      }),
    )
  const recipe = findWrongRecipe(fields, (text) => text === theirs)
  const named = recipe && `${say(recipe.mistake)}: ${say(recipe.instead)}.`
  if (theirs.trim() === asSent) {
    const space = say({
      en: 'Your string is right except for white space around it: if your code signs that too, remove it.',
      vi: 'Chuỗi của bạn đúng, trừ khoảng trắng ở đầu hoặc cuối: nếu chương trình của bạn ký cả khoảng trắng đó, hãy bỏ nó đi.',
    })
    const then = named && say({ en: ` Then it was ${named}`, vi: ` Khi đó chuỗi ${named}` })
    return wrong(`${space}${then ?? ''}`)
  }
  if (named) return wrong(say({ en: `Yours is ${named}`, vi: `Chuỗi của bạn ${named}` }))
  return wrong(
    say({
      en: 'Your string differs, and no known mistake explains it: see the difference below.',
      vi: 'Chuỗi của bạn khác, và không phải do lỗi nào đã biết: hãy xem chỗ khác ở bên dưới.',
    }),
  )
}

/** Checks the reader's checksum; `theirs` is the reader's string, which may be empty. */
export function checkChecksum(
  fields: SignedFields,
  secret: string,
  received: string,
  theirs: string,
): Verdict {
  const digest = decodeChecksum(received.trim())
  if (!digest)
    return wrong(
      say({
        en: 'Your checksum is not 32 bytes in hex, base64 or base64url.',
        vi: 'Checksum của bạn không phải là 32 byte dạng hex, base64 hoặc base64url.',
      }),
    )
  const isOf = (text: string, key = secret) => toHex(sign(key, text)) === toHex(digest)
  const { asSent, withIsoDate } = acceptedStrings(fields)
  if (isOf(asSent))
    return right(
      say({ en: 'Your checksum is right: the hub accepts it.', vi: 'Checksum của bạn đúng: hub chấp nhận.' }),
    )
  if (isOf(withIsoDate))
    return right(
      say({
        en: 'Your checksum is right: it was computed with payDate as its toISOString().',
        vi: 'Checksum của bạn đúng: nó được tính với payDate ở dạng toISOString().',
      }),
    )
  const recipe =
    findWrongRecipe(fields, (text) => isOf(text)) ?? findWrongKey(secret, (key) => isOf(asSent, key))
  if (recipe) {
    const named = `${say(recipe.mistake)}: ${say(recipe.instead)}.`
    return wrong(say({ en: `Your checksum was ${named}`, vi: `Checksum của bạn ${named}` }))
  }
  if (theirs !== '' && isOf(theirs))
    return wrong(
      say({
        en: 'Your checksum is the right HMAC of your string: only the string is wrong.',
        vi: 'Checksum của bạn đúng là HMAC của chuỗi của bạn: chỉ có chuỗi là sai.',
      }),
    )
  if (theirs === asSent)
    return wrong(
      say({
        en: 'Your string is right, your checksum is not: is the key the client secret as it was printed, and the hash SHA-256?',
        vi: 'Chuỗi của bạn đúng, checksum thì không: khoá có đúng là khoá bí mật như đã in ra, và hàm băm có phải là SHA-256 không?',
      }),
    )
  return wrong(
    say({
      en: 'Your checksum is wrong, and no known mistake explains it: did you sign these values with this secret?',
      vi: 'Checksum của bạn sai, và không phải do lỗi nào đã biết: bạn có ký đúng các giá trị này bằng khoá bí mật này không?',
    }),
  )
}
