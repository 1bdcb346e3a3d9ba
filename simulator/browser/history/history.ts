/** Payments that were spoken, or a notice of missed ones: a notice names their number and sum alone (sb/1 7.23). */
export interface Entry {
  kind: 'spoken' | 'missed'
  /** The number of the command. */
  n: number
  /** When it was spoken or shown, in Unix milliseconds of the hub's clock. */
  atMs: number
  count: number
  amount: string
}

/** A speaker distinguishes shops by these: sb/1 names neither the shop's id nor its partner. */
export interface Shop {
  name: string
  /** Empty when the hub did not send it: the shop has none, or the speaker is locked. */
  qr: string
}

export interface DaySum {
  count: number
  amount: string
}

/** What a page keeps of the payments of its shop. */
export interface History {
  shop: Shop | undefined
  /** The last ones, the newest first. */
  entries: readonly Entry[]
  /** The sum of the day of the newest entry. It goes on when entries leave the list. */
  day: DaySum & { date: string }
  /** Somebody has hidden the amounts. */
  hidden: boolean
  /**
   * The notice whose ack `shown` the hub may not have stored. The next notice then names its payments again (sb/1 7.23).
   */
  unsure: number | undefined
}

/** The entries of a list at most. */
export const MOST_ENTRIES = 50

const NOTHING: DaySum = { count: 0, amount: '0' }

export const NO_HISTORY: History = {
  shop: undefined,
  entries: [],
  day: { date: '', ...NOTHING },
  hidden: false,
  unsure: undefined,
}

/** The day of a moment in the zone of this device, as `2026-11-27`. */
export function dateOf(atMs: number): string {
  const at = new Date(atMs)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** The sum of the day that it is now. */
export function todayOf({ day }: History, nowMs: number): DaySum {
  return day.date === dateOf(nowMs) ? day : NOTHING
}

/** Adds an entry. It replaces an entry of the same command, and the notice whose payments a new notice names again. */
export function withEntry(history: History, entry: Entry): History {
  const isNotice = entry.kind === 'missed'
  const replaced = (isNotice && history.unsure !== undefined ? [history.unsure] : []).concat(entry.n)
  const before = replaced.reduce(withoutEntry, history)
  const date = dateOf(entry.atMs)
  const sum = before.day.date === date ? before.day : NOTHING
  return {
    ...before,
    entries: [entry, ...before.entries].slice(0, MOST_ENTRIES),
    day: { date, count: sum.count + entry.count, amount: added(sum.amount, entry.amount) },
    ...(isNotice && { unsure: entry.n }),
  }
}

/** Removes the entry of a command, if it is there. */
export function withoutEntry(history: History, n: number): History {
  const entry = history.entries.find((it) => it.n === n)
  if (!entry) return history
  const { day } = history
  const isOfDay = dateOf(entry.atMs) === day.date
  return {
    ...history,
    entries: history.entries.filter((it) => it !== entry),
    day: isOfDay
      ? { ...day, count: day.count - entry.count, amount: added(day.amount, `-${entry.amount}`) }
      : day,
  }
}

/** The history goes on for the same shop. For another, it begins with the entries that are already the new shop's. */
export function ofShop(history: History, shop: Shop, ofSession: readonly Entry[]): History {
  if (!history.shop || !isSame(history.shop, shop))
    return ofSession.reduce(withEntry, { ...emptied(history), shop })
  return { ...history, shop: { ...shop, qr: shop.qr || history.shop.qr } }
}

/** A history without a shop and its payments. Amounts that somebody has hidden stay hidden for the next shop. */
export function emptied({ hidden }: History): History {
  return { ...NO_HISTORY, hidden }
}

function isSame(one: Shop, other: Shop): boolean {
  return one.name === other.name && (one.qr === other.qr || one.qr === '' || other.qr === '')
}

/** Exact for amounts of any length. */
function added(one: string, other: string): string {
  return String(BigInt(one) + BigInt(other))
}
