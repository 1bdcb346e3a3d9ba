import { toUnixSeconds } from '../../../protocol/messages/fields.ts'
import type { Language } from '../../../protocol/money/language.ts'
import { announcementClips, clipsToText } from '../../../protocol/money/sentence.ts'
import type { CommandBody } from '../../delivery/session/command.ts'
import type { OnewayProfile } from '../profile/schema.ts'
import { codeClips } from '../profile/sentence.ts'
import { numbersOf, packOf } from './packs.ts'
import type { Values } from './template.ts'

/** Vietnam has one time zone and no summer time. */
const LOCAL_OFFSET_MS = 7 * 60 * 60_000
/** Cents of a currency with cents: some boxes count in them, whatever the currency. */
const HUNDREDTHS = '00'

/** The placeholders that each kind of message has. */
export const PLACEHOLDERS = {
  announce: ['amount', 'hundredths', 'clips', 'text', 'lang', 'bill', 'id', 'time', 'unixSeconds', 'serial'],
  code: ['code', 'clips', 'id', 'time', 'unixSeconds', 'serial'],
  qr: ['qr', 'amount', 'hundredths', 'bill', 'id', 'time', 'unixSeconds', 'serial'],
  ping: ['time', 'unixSeconds', 'serial'],
} as const

interface Moment {
  serial: string
  now: number
}

/** What every message has. */
export function momentValues({ serial, now }: Moment): Values {
  const time = new Date(now + LOCAL_OFFSET_MS).toISOString().replace(/\D/g, '').slice(0, 14)
  return { serial, time, unixSeconds: toUnixSeconds(now) }
}

export function announceValues(
  profile: OnewayProfile,
  { amount, lang, paidBill }: Extract<CommandBody, { kind: 'announce' }>,
): Values {
  const ids = announcementClips(lang, amount)
  return {
    ...moneyValues(amount),
    ...{ clips: joined(profile, lang, ids.split(' ')), text: clipsToText(lang, ids), lang },
    bill: paidBill === '' ? undefined : paidBill,
  }
}

export function codeValues(profile: OnewayProfile, code: string): Values {
  const spoken = codeClips(profile.languages, code)
  return { code, clips: spoken && joined(profile, spoken.lang, spoken.clips) }
}

export function qrValues({ qr, amount, billNumber }: Extract<CommandBody, { kind: 'qr' }>): Values {
  return { qr, ...moneyValues(amount), bill: billNumber }
}

function moneyValues(amount: string): Values {
  return { amount, hundredths: `${amount}${HUNDREDTHS}` }
}

function joined(profile: OnewayProfile, lang: Language, clips: readonly string[]): string | undefined {
  const pack = packOf(profile)
  return pack && numbersOf(pack, lang, clips)?.join('-')
}
