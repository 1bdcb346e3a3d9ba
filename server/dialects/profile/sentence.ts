import type { Language } from '../../../protocol/money/language.ts'
import { announcementClips, clipIds } from '../../../protocol/money/sentence.ts'
import type { CommandBody } from '../../delivery/session/command.ts'
import type { Profile } from './schema.ts'

/** A code is said twice: nobody remembers six digits at once. */
const TIMES = 2

/** The clips of a verification code, said twice. Undefined when no language of the box has a clip for each digit. */
export function codeClips(
  languages: readonly Language[],
  code: string,
): { lang: Language; clips: string[] } | undefined {
  const lang = languages.find((one) => [...'0123456789'].every((digit) => clipIds(one).includes(digit)))
  return lang && { lang, clips: Array.from({ length: TIMES }, () => [...code]).flat() }
}

/** How long a box speaks and rests, in milliseconds. 0 for what makes no sound. */
export function sentenceMs(
  { speech, pairing }: Pick<Profile, 'speech' | 'pairing'>,
  body: CommandBody,
): number {
  const clips = clipCount(pairing, body)
  return clips === 0 ? 0 : clips * speech.msPerClip + speech.pauseMs
}

function clipCount(pairing: Profile['pairing'], body: CommandBody): number {
  if (body.kind === 'announce') return announcementClips(body.lang, body.amount).split(' ').length
  return body.kind === 'code' && pairing === 'spoken' ? TIMES * body.code.length : 0
}

/** Amounts with the longest sentences up to `maxAmount`: no other amount has more clips, or a longer text. */
export function longestAmounts(maxAmount: string): string[] {
  const digits = [...'123456789']
  const shorter = maxAmount.length > 1 ? digits.map((digit) => digit.repeat(maxAmount.length - 1)) : []
  const same = digits
    .map((digit) => digit.repeat(maxAmount.length))
    .filter((amount) => BigInt(amount) <= BigInt(maxAmount))
  return [...shorter, ...same, maxAmount]
}
