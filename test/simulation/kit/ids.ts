import type { Ids } from '../../../server/platform/ids.ts'
import type { Dice } from './dice.ts'

/** Crockford's base 32, as ULIDs are written. */
const BASE_32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Identifiers that a seed fixes, and that are never given twice in a world, whatever crashes. */
export function createSeededIds(dice: Dice, now: () => number): Ids {
  let count = 0
  const next = () => {
    count += 1
    return count
  }
  const secret = (prefix: string) => prefix + dice.hex(43)
  const ulid = () => base32(now(), 10) + base32(next(), 16)
  return {
    uuid() {
      const time = now().toString(16).padStart(12, '0')
      const rest = next().toString(16).padStart(12, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${rest}`
    },
    commandId: ulid,
    clientId: () => `sbc_${dice.hex(18)}`,
    clientSecret: () => secret('sbs_'),
    accessToken: () => secret('sba_'),
    refreshToken: () => secret('sbr_'),
    verificationCode: () => String(dice.between(0, 999_999)).padStart(6, '0'),
    label: () => base32(dice.between(0, 2 ** 32 - 1), 12),
    boxPassword: () => dice.hex(16),
    serial: () => `SIM-${next()}`,
    deviceKey: () => Buffer.from(dice.hex(64), 'hex'),
    webhookId: () => `wh_${ulid()}`,
    webhookSecret: () => `whsec_${Buffer.from(dice.hex(64), 'hex').toString('base64')}`,
  }
}

function base32(value: number, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest = Math.floor(rest / 32)) text = BASE_32[rest % 32] + text
  return text
}
