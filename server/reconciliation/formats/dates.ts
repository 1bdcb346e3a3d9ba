import { isDate, zoneDay } from '../../platform/time/zone-day.ts'
import { zonedTime } from '../../platform/time/zoned-time.ts'

/** The parts of a date format; `mi` stands for minutes. */
const PARTS = {
  yyyy: '(\\d{4})',
  yy: '(\\d{2})',
  mm: '(\\d{1,2})',
  dd: '(\\d{1,2})',
  hh: '(\\d{1,2})',
} as const
const TOKEN = /yyyy|yy|mm|dd|hh|ss/gi
const MINUTE_MS = 60_000

/** A date, and the time of day in seconds when there is one. */
export interface LocalTime {
  date: string
  seconds: number | undefined
}

/**
 * Makes a reader of dates. A format has `yyyy` or `yy`, `mm` and `dd`, and may have `HH`, `MM` and `SS`, in any case: an `mm`
 * behind `hh` is the minutes. Everything else stands for itself. Undefined for a format without a whole date.
 */
export function dateReader(format: string): ((text: string) => LocalTime | undefined) | undefined {
  const names: string[] = []
  const pattern = escaped(format).replace(TOKEN, (found) => {
    const token = found.toLowerCase()
    const name = token === 'mm' && names.includes('hh') ? 'mi' : token
    names.push(name)
    return token in PARTS ? PARTS[token as keyof typeof PARTS] : '(\\d{2})'
  })
  const isWhole = ['mm', 'dd'].every((name) => names.filter((one) => one === name).length === 1)
  if (!isWhole || names.filter((name) => name.startsWith('yy')).length !== 1) return undefined
  const whole = new RegExp(`^${pattern}$`)
  return (text) => {
    const found = whole.exec(text.trim())
    if (!found) return undefined
    const value = (name: string) => found[names.indexOf(name) + 1] ?? ''
    const year = names.includes('yyyy') ? value('yyyy') : `20${value('yy')}`
    const date = `${year}-${value('mm').padStart(2, '0')}-${value('dd').padStart(2, '0')}`
    if (!isDate(date)) return undefined
    if (!names.includes('hh')) return { date, seconds: undefined }
    const seconds = secondsOf(
      value('hh'),
      names.includes('mi') ? value('mi') : '',
      names.includes('ss') ? value('ss') : '',
    )
    return seconds === undefined ? undefined : { date, seconds }
  }
}

/** Reads a time of day, as 09:05 or 09:05:30, into seconds. */
export function readTime(text: string): number | undefined {
  const found = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/.exec(text.trim())
  return found ? secondsOf(found[1] ?? '', found[2] ?? '', found[3] ?? '') : undefined
}

function secondsOf(hours: string, minutes: string, seconds: string): number | undefined {
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)]
  return h < 24 && m < 60 && s < 60 ? h * 3600 + m * 60 + s : undefined
}

/**
 * Makes a function that tells the instant of a local time. Midnight counts as no time: banks write it for a date alone.
 * Days are cached, because to find the beginning of one takes a hundred microseconds.
 */
export function instantsIn(zone: string): (local: LocalTime) => number | undefined {
  const begins = new Map<string, number>()
  const offsetAt = offsetsIn(zone)
  return ({ date, seconds }) => {
    if (!seconds) return undefined
    const begin = begins.get(date) ?? zoneDay(date, zone).from
    begins.set(date, begin)
    const at = begin + seconds * 1_000
    // On a day at which the zone changes its clock, the offset at noon is not that of midnight.
    return at + offsetAt(begin) - offsetAt(at)
  }
}

function offsetsIn(zone: string): (at: number) => number {
  // Vietnam has one offset; to ask for it costs a microsecond for each row.
  const fixed = zone === 'UTC' || zone === 'Asia/Ho_Chi_Minh'
  const write = zonedTime(zone)
  return (at) => {
    if (fixed) return 0
    const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(write(at)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
