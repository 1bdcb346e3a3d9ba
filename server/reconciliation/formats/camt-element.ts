import { parseIso8601 } from '../../platform/time/iso-8601.ts'
import { dateIn } from '../../platform/time/zone-day.ts'

/** An element of a `Stmt`. */
export interface Element {
  name: string
  text: string
  currency: string | undefined
  children: Element[]
  /** Characters of the file before it, and of its own once it is whole. */
  begins: number
  length?: number
  /** Of the file, from 1. */
  line: number
}

/** The first element down this path. */
export function at(element: Element | undefined, ...path: readonly string[]): Element | undefined {
  return path.reduce<Element | undefined>(
    (found, name) => found?.children.find((child) => child.name === name),
    element,
  )
}

/** The text of the first element down this path; undefined when there is none, or it is blank. */
export function textOf(element: Element | undefined, ...path: readonly string[]): string | undefined {
  return at(element, ...path)?.text.trim() || undefined
}

/** The texts of all children of a name. */
export function textsOf(element: Element | undefined, name: string): string[] {
  const found = element?.children.filter((child) => child.name === name) ?? []
  return found.map(({ text }) => text.trim()).filter((text) => text !== '')
}

const LOCAL_DATE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.\d+)?)?$/

/** When something was, by the clocks of the zone. */
export interface ReadTime {
  date: string
  /** Since midnight. Undefined when the text has a date alone. */
  seconds: number | undefined
}

/** Reads a date or a time of XML Schema. One with an offset is turned into the zone. Undefined when it is neither. */
export function readTimeIn(zone: string): (text: string) => ReadTime | undefined {
  const dateAt = dateIn(zone)
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', timeStyle: 'medium' })
  return (text) => {
    const [, date, hours, minutes, seconds] = LOCAL_DATE.exec(text) ?? []
    if (date !== undefined) {
      if (parseIso8601(text) === undefined) return undefined
      return { date, seconds: hours === undefined ? undefined : secondsOf([hours, minutes, seconds]) }
    }
    const instant = parseIso8601(text)
    if (instant === undefined) return undefined
    return { date: dateAt(instant), seconds: secondsOf(clock.format(instant).split(':')) }
  }
}

function secondsOf(parts: readonly (string | undefined)[]): number {
  return parts.reduce((total, part) => total * 60 + Number(part ?? 0), 0)
}
