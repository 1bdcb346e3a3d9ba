import { type Lang, wordsOf } from './words.ts'

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000]

const words = wordsOf({
  never: ['never', 'chưa bao giờ'],
  now: ['now', 'vừa xong'],
})
const units: Record<Lang, readonly [s: string, m: string, h: string, d: string]> = {
  en: ['s', 'min', 'h', 'd'],
  vi: ['giây', 'phút', 'giờ', 'ngày'],
}

/** What was never reported. */
export const never = (lang: Lang): string => words(lang).never

/** How long something takes or is ago, in one unit: `2.1 s`, `7 min`, `3 h`. */
export function span(ms: number, lang: Lang): string {
  const [s, m, h, d] = units[lang]
  if (ms < 10 * SECOND_MS) return `${(Math.max(0, ms) / SECOND_MS).toFixed(1)} ${s}`
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} ${s}`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} ${m}`
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} ${h}`
  return `${Math.floor(ms / DAY_MS)} ${d}`
}

/** How long ago something was, by the server's clock. Without an instant: never. */
export function ago(at: number | undefined, now: number, lang: Lang): string {
  if (at === undefined) return never(lang)
  if (now - at < SECOND_MS) return words(lang).now
  return lang === 'vi' ? `${span(now - at, lang)} trước` : `${span(now - at, lang)} ago`
}
