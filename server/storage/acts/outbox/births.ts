import type { Birth } from '../../../announcements/ports.ts'
import { isoInstant } from '../../../platform/clock.ts'
import type { Settings } from '../../../settings/settings.ts'
import type { StorageRules } from '../../rules.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { type SettingsRow, toSettings } from '../../shared/settings-mapping.ts'
import { type Act, type Engine, fromJson, rows, together } from '../act.ts'
import { eventOf, tellOnline } from '../device-events.ts'
import { storeSettings } from '../devices/settings-records.ts'
import type { LockedDevice } from './device-states.ts'

/** A device as a birth reads and changes it. */
export interface BornRow extends SettingsRow {
  rowId: number
  active: boolean
  loginHash: Buffer
  nextKey: Buffer | null
  nextLoginHash: Buffer | null
  hasMaintenance: boolean
  clientId: string | null
  /** Whether its partner was last told that it is online. */
  isToldOnline: boolean
}

/** As the engines return it. */
type StoredRow = Omit<BornRow, 'desiredSettings' | 'reportedSettings'> &
  Record<'desiredSettings' | 'reportedSettings', Settings | string | null>

/** A session to store. Its device has its new values already. */
export interface BornSession {
  at: number
  /** Undefined when it begins again without one. */
  birth: Birth | undefined
  /** The birth was not stored by an earlier commit. */
  isFirst: boolean
  device: LockedDevice
  row: BornRow
}

/** The columns of devices that births read and write, many in one commit. */
export function createBirths(engine: Engine, rules: Pick<StorageRules, 'languageAfterBirth'>) {
  const { readRows, storeRows } = prepare(engine)

  function* storeBorn(born: readonly BornSession[]): Act<void> {
    let isSpokenElse = false
    const columns = born.flatMap(({ birth, row, at }) => {
      if (!birth) return []
      const { firmware, model, languages, caps } = birth.born
      const lang = rules.languageAfterBirth(row.lang, languages)
      isSpokenElse ||= lang !== row.lang
      Object.assign(row, { lang, languages: languages.join(' ') } satisfies Partial<BornRow>)
      return { ...row, firmware, model, caps: caps.join(' '), at }
    })
    yield* storeRows(columns)
    if (isSpokenElse) yield* engine.raise('stores')
  }

  return {
    /** Reads locked devices by their ids. */
    *read(deviceIds: readonly string[]): Act<Map<string, BornRow>> {
      const found = yield* readRows<StoredRow>(deviceIds.map((id) => ({ id })))
      return new Map(
        found.map((row) => [
          row.id,
          {
            ...row,
            active: Boolean(row.active),
            isToldOnline: Boolean(row.isToldOnline),
            hasMaintenance: Boolean(row.hasMaintenance) || row.nextKey !== null,
            desiredSettings: fromJson(row.desiredSettings),
            reportedSettings: fromJson(row.reportedSettings),
          },
        ]),
      )
    },

    /** Stores births, and adds an event for each device that its partner does not know to be online. */
    *store(sessions: readonly BornSession[]): Act<void> {
      const born = sessions.filter(({ isFirst }) => isFirst)
      const news = born.filter(({ row }) => row.clientId !== null && !row.isToldOnline)
      const rowIds = news.map(({ row }) => row.rowId)
      const added = news.flatMap(({ row, at }) =>
        eventOf(row, 'device.online', at, { lastSeenAt: isoInstant(at) }),
      )
      yield* together(storeBorn(born), tellOnline(engine, rowIds, true), engine.events(added))
    },
  }
}

/**
 * A device has logged in with the key of this login hash, in hex. Puts the key in force if it is the next one. False for
 * a key that is neither the next one nor the one in force (sb/1 2.9).
 */
export function* confirmKey({ vault }: Engine, row: BornRow, login: string): Act<boolean> {
  const { id, loginHash, nextKey, nextLoginHash } = row
  if (loginHash.toString('hex') === login) return true
  if (!nextKey || nextLoginHash?.toString('hex') !== login) return false
  const opened = sealedFields(vault, 'deviceRekeys').open(id, 'key', nextKey)
  yield* rows('outbox.begin confirm', 'UPDATE devices SET key = $2, login_hash = $3 WHERE id = $1', [
    id,
    sealedFields(vault, 'devices').seal(id, 'key', opened),
    nextLoginHash,
  ])
  // Another next key, which was set meanwhile, stays.
  yield* rows('outbox.begin confirmed', 'DELETE FROM device_rekeys WHERE id = $1 AND login_hash = $2', [
    id,
    nextLoginHash,
  ])
  return true
}

/** Returns the settings that a session must still send. A birth may give them another version. Call it after `store`. */
export function* catchUp(
  engine: Engine,
  rules: Pick<StorageRules, 'isPending' | 'catchUpSettings'>,
  { row, birth }: BornSession,
): Act<Settings | undefined> {
  if (!row.desiredSettings) return undefined
  const known = toSettings(row)
  if (!birth) return rules.isPending(known) ? known.desired : undefined
  const desired = rules.catchUpSettings(known, birth.born.settingsVersion)
  if (desired && desired.ver !== known.desired?.ver)
    yield* storeSettings(engine, rules, row, { ...known, desired })
  return desired
}

function prepare({ perRow }: Pick<Engine, 'perRow'>) {
  // Subqueries, because a join takes SQLite three times as long for the same look-ups (measured).
  const next = (column: string) => `(SELECT k.${column} FROM device_rekeys k WHERE k.id = d.id)`
  const readRows = perRow(
    'outbox.begin devices',
    { id: 'text' },
    ({ id }, given) =>
      `SELECT d.number AS "rowId", d.id, d.serial, d.client_id AS "clientId", d.active, d.lang, d.languages,
         (SELECT t.is_online FROM device_told t WHERE t.device_number = d.number) AS "isToldOnline",
         d.desired_settings AS "desiredSettings", d.reported_settings AS "reportedSettings",
         d.login_hash AS "loginHash", ${next('key')} AS "nextKey", ${next('login_hash')} AS "nextLoginHash",
         EXISTS (SELECT 1 FROM device_offers o WHERE o.id = d.id) AS "hasMaintenance"
       FROM ${given.rows} devices d WHERE d.id = ${id}`,
  )
  const storeRows = perRow(
    'outbox.begin births',
    {
      ...({ rowId: 'bigint', firmware: 'text', model: 'text', languages: 'text', caps: 'text' } as const),
      ...({ lang: 'text', at: 'bigint' } as const),
    },
    (born, { from }) =>
      `UPDATE devices SET firmware = ${born.firmware}, model = ${born.model}, languages = ${born.languages},
         caps = ${born.caps}, lang = ${born.lang}, last_birth_at = ${born.at}
       ${from} WHERE number = ${born.rowId}`,
  )
  return { readRows, storeRows }
}
