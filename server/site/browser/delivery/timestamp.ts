import { say } from '../shared/say.ts'
import { remark, right, type Verdict, wrong } from '../shared/verdict.ts'

/** Receivers refuse what is further away from their clocks (Standard Webhooks 1.0.0). */
const TOLERANCE_S = 300
/** Seconds have ten digits until the year 2286. */
const MILLISECONDS = /^\d{13}$/

/** `remark`: it is seconds, and not of now. `now`: milliseconds. */
export function judgeTimestamp(timestamp: string, now: number): Verdict {
  if (MILLISECONDS.test(timestamp))
    return wrong(
      say({
        en: 'It is in milliseconds. The header has seconds since 1970.',
        vi: 'Giá trị tính bằng mili giây. Header dùng số giây kể từ năm 1970.',
      }),
    )
  if (!/^\d{1,12}$/.test(timestamp))
    return wrong(
      say({
        en: `${timestamp} is not a number of seconds since 1970.`,
        vi: `${timestamp} không phải là số giây kể từ năm 1970.`,
      }),
    )
  const seconds = Number(timestamp)
  const at = new Date(seconds * 1_000).toISOString().replace('.000', '')
  const age = Math.floor(now / 1_000) - seconds
  const by = duration(Math.abs(age))
  const away =
    age < 0
      ? say({
          en: `${at}, ${by} ahead of the clock of this device`,
          vi: `${at}, nhanh hơn đồng hồ của máy này ${by}`,
        })
      : say({
          en: `${at}, ${by} behind the clock of this device`,
          vi: `${at}, chậm hơn đồng hồ của máy này ${by}`,
        })
  if (Math.abs(age) <= TOLERANCE_S)
    return right(
      say({
        en: `${away}; up to 5 minutes are accepted.`,
        vi: `${away}; lệch tối đa 5 phút được chấp nhận.`,
      }),
    )
  const cause =
    age < 0
      ? say({ en: 'Is a clock wrong?', vi: 'Có đồng hồ nào sai không?' })
      : say({
          en: 'That is so for each delivery from a log; if it has just come, a clock is wrong.',
          vi: 'Lượt gửi nào lấy từ nhật ký cũng vậy; nếu nó vừa mới đến thì có đồng hồ sai.',
        })
  return remark(
    say({
      en: `${away}: a receiver refuses more than 5 minutes. ${cause}`,
      vi: `${away}: chương trình nhận từ chối khi lệch quá 5 phút. ${cause}`,
    }),
  )
}

/** The two largest units of a duration: 3 d 4 h. */
export function duration(seconds: number): string {
  const units = [
    { name: say({ en: 'd', vi: 'ngày' }), size: 86_400, of: Number.POSITIVE_INFINITY },
    { name: say({ en: 'h', vi: 'giờ' }), size: 3_600, of: 24 },
    { name: say({ en: 'min', vi: 'phút' }), size: 60, of: 60 },
    { name: say({ en: 's', vi: 'giây' }), size: 1, of: 60 },
  ]
  const parts = units.map(({ name, size, of }) => ({ name, count: Math.floor(seconds / size) % of }))
  const first = parts.findIndex(({ count }) => count > 0)
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2).filter(({ count }) => count > 0)
  return shown.map(({ name, count }) => `${count} ${name}`).join(' ')
}
