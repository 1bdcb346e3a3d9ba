import { OWN_DIALECT } from '../../../devices/device.ts'
import type { DeviceFilter } from '../../../devices/ports.ts'
import { type Act, type Engine, rows } from '../act.ts'
import { nextRows, type Range } from './walk-back.ts'

/** Devices that one read compares with the whole filter: a millisecond or two. */
const COMPARED = 1_024
/** Numbers that an index finds at once: some six milliseconds. */
const FOUND = 12_000
/** A look at what tells whether devices are away takes so many times as many rows as a look at whole devices. */
const AWAY = 16

/** Behind every text in the order of bytes, which both engines use for serials. */
const BEHIND_ALL = '\u{10ffff}'

/** Devices that may match a filter, the highest number first. */
export interface Chosen {
  numbers: number[]
  /** Down to here, no other device matches. */
  reached: number
}

/**
 * Chooses the devices that may match a filter, below `top`, by what tells the most of it: an index, or the state of their
 * connections. Undefined: a look at each device from the newest on finds some soon.
 *
 * Why: among 100,000 devices, a look at each took 100 to 230 ms to find that five are revoked.
 */
export function createChooser({ presence, scanned }: Pick<Engine, 'presence' | 'scanned'>) {
  const nextDevices = nextRows('devices', scanned * AWAY)

  function* away(hubSince: number | undefined, { from, below }: Range): Act<Chosen> {
    const parts: number[][] = []
    for (const [index, { from: table, number, condition }] of presence.away.entries()) {
      const found = yield* rows<{ number: number }>(
        `lists.devices away ${index}`,
        `SELECT ${number} AS number FROM ${table} WHERE ${number} >= $2 AND ${number} < $3 AND ${condition}
         ORDER BY ${number} DESC LIMIT ${COMPARED}`,
        [hubSince, from, below],
      )
      parts.push(found.map(({ number }) => number))
    }
    // Below the last number of a part that is full, it may have more.
    const ends = parts.flatMap((part) => (part.length === COMPARED ? part.slice(-1) : []))
    const reached = Math.max(from, ...ends)
    const numbers = [...new Set(parts.flat())].filter((number) => number >= reached)
    return { numbers: numbers.sort((one, other) => other - one), reached }
  }

  return function* choose(
    filter: DeviceFilter,
    hubSince: number | undefined,
    top: number,
    least: number,
  ): Act<Chosen | undefined> {
    for (const { name, text, values } of indicesOf(filter)) {
      const found = yield* rows<{ number: number | null; count: number | string }>(
        `lists.devices ${name}`,
        `WITH found AS MATERIALIZED (${text})
         SELECT f.number, c.count FROM (SELECT count(*) AS count FROM found) c LEFT JOIN (
           SELECT number FROM found WHERE number < $2 ORDER BY number DESC LIMIT ${COMPARED + 1}
         ) f ON true`,
        [FOUND + 1, top, ...values],
      )
      if (Number(found[0]?.count) > FOUND) continue
      const below = found.flatMap(({ number }) => number ?? []).sort((one, other) => other - one)
      const numbers = below.slice(0, COMPARED)
      return { numbers, reached: (numbers.length < below.length ? numbers.at(-1) : undefined) ?? least }
    }
    if (filter.clientId !== undefined || !isOfThoseAway(filter)) return undefined
    return yield* away(hubSince, yield* nextDevices(top, least))
  }
}

const isOfThoseAway = ({ state, connected, silentSince }: DeviceFilter): boolean =>
  state === 'offline' || connected === false || silentSince !== undefined

/** Statements for the numbers of devices, each for one field of the filter. $1 is the limit, and $2 is not theirs. */
function indicesOf(filter: DeviceFilter) {
  const { state, serialPrefix, active, revoked, batteryAtMost, dialect } = filter
  const of = (name: string, condition: string, ...values: unknown[]) => ({
    ...{ name, values },
    text: `SELECT number FROM devices WHERE ${condition} LIMIT $1`,
  })
  return [
    serialPrefix !== undefined &&
      of('by serial', 'serial >= $3 AND serial < $4', serialPrefix, `${serialPrefix}${BEHIND_ALL}`),
    (state === 'revoked' || revoked === true) && of('revoked', 'revoked_at IS NOT NULL'),
    // The words of the partial index.
    (state === 'locked' || active === false) && of('locked', 'NOT active'),
    state === 'free' && of('free', 'client_id IS NULL'),
    // The words of the partial index.
    dialect !== undefined &&
      dialect !== OWN_DIALECT &&
      of('by dialect', `dialect <> '${OWN_DIALECT}' AND dialect = $3`, dialect),
    batteryAtMost !== undefined && {
      ...{ name: 'by battery', values: [batteryAtMost] },
      text: 'SELECT device_number AS number FROM device_health WHERE battery <= $3 LIMIT $1',
    },
  ].filter((index) => index !== false)
}
