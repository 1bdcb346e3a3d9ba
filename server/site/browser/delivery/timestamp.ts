import { remark, right, type Verdict, wrong } from '../shared/verdict.ts'

/** Receivers refuse what is further away from their clocks (Standard Webhooks 1.0.0). */
const TOLERANCE_S = 300
/** Seconds have ten digits until the year 2286. */
const MILLISECONDS = /^\d{13}$/

/** `remark`: it is seconds, and not of now. `now`: milliseconds. */
export function judgeTimestamp(timestamp: string, now: number): Verdict {
  if (MILLISECONDS.test(timestamp)) return wrong('It is in milliseconds. The header has seconds since 1970.')
  if (!/^\d{1,12}$/.test(timestamp)) return wrong(`${timestamp} is not a number of seconds since 1970.`)
  const seconds = Number(timestamp)
  const at = new Date(seconds * 1_000).toISOString().replace('.000', '')
  const age = Math.floor(now / 1_000) - seconds
  const away = `${at}, ${duration(Math.abs(age))} ${age < 0 ? 'ahead of' : 'behind'} the clock of this device`
  if (Math.abs(age) <= TOLERANCE_S) return right(`${away}; up to 5 minutes are accepted.`)
  const cause =
    age < 0
      ? 'Is a clock wrong?'
      : 'That is so for each delivery from a log; if it has just come, a clock is wrong.'
  return remark(`${away}: a receiver refuses more than 5 minutes. ${cause}`)
}

/** The two largest units of a duration: 3 d 4 h. */
export function duration(seconds: number): string {
  const units = [
    { name: 'd', size: 86_400, of: Number.POSITIVE_INFINITY },
    { name: 'h', size: 3_600, of: 24 },
    { name: 'min', size: 60, of: 60 },
    { name: 's', size: 1, of: 60 },
  ]
  const parts = units.map(({ name, size, of }) => ({ name, count: Math.floor(seconds / size) % of }))
  const first = parts.findIndex(({ count }) => count > 0)
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2).filter(({ count }) => count > 0)
  return shown.map(({ name, count }) => `${count} ${name}`).join(' ')
}
