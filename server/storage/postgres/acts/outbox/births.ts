import type { Birth } from '../../../../announcements/ports.ts'
import { isoInstant } from '../../../../platform/clock.ts'
import type { Vault } from '../../../../security/vault.ts'
import { carryOutAsync } from '../../../acts/act.ts'
import { eventOf, tellOnline } from '../../../acts/device-events.ts'
import type { StorageRules } from '../../../rules.ts'
import { sealedFields } from '../../../shared/sealed-columns.ts'
import type { SettingsRow } from '../../../shared/settings-mapping.ts'
import type { Tx } from '../../engine/database.ts'
import { columns } from '../../rows/columns.ts'
import { POSTGRES, runOn } from '../../schema/statements.ts'
import type { LockedDevice } from './device-locks.ts'

/** A device as a birth reads and changes it. */
export interface BornRow extends SettingsRow {
  loginHash: Buffer
  nextKey: Buffer | null
  nextLoginHash: Buffer | null
  hasMaintenance: boolean
  clientId: string | null
  /** What its partner was last told. Null when it was told nothing. */
  toldOnline: boolean | null
}

/** What a session stores. Device and row are as they shall be. */
export interface BornSession {
  at: number
  /** Undefined when it begins again without one. */
  birth: Birth | undefined
  /** The birth was not stored by an earlier commit. */
  isFirst: boolean
  device: LockedDevice
  row: BornRow
}

/** Reads locked devices by their ids. */
export async function readBornRows(tx: Tx, deviceIds: string[]): Promise<Map<string, BornRow>> {
  const rows = await tx.query<BornRow>(
    'outbox.begin devices',
    `SELECT d.id, d.serial, d.client_id AS "clientId",
       (SELECT t.is_online FROM device_told t WHERE t.device_number = d.number) AS "toldOnline", d.lang, d.languages, d.desired_settings AS "desiredSettings",
       d.reported_settings AS "reportedSettings", d.login_hash AS "loginHash", r.key AS "nextKey",
       r.login_hash AS "nextLoginHash",
       r.id IS NOT NULL OR EXISTS (SELECT 1 FROM device_offers o WHERE o.id = d.id) AS "hasMaintenance"
     FROM devices d LEFT JOIN device_rekeys r ON r.id = d.id
     WHERE d.id = ANY($1::text[])`,
    [deviceIds],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Stores what devices have said of themselves, and the settings that they are told. */
export async function storeBirths(
  tx: Tx,
  sessions: readonly BornSession[],
  { isPending }: Pick<StorageRules, 'isPending'>,
): Promise<void> {
  const born = sessions.flatMap(({ birth, device, row, at, isFirst }) => {
    if (!birth) return []
    const { firmware, model, caps } = birth.born
    const [desired, reported] = [row.desiredSettings, row.reportedSettings]
    return {
      ...{ rowId: device.rowId, firmware, model, caps: caps.join(' '), at: isFirst ? at : null },
      ...{ languages: row.languages, lang: row.lang, desired: desired && JSON.stringify(desired) },
      isDue: isPending({ desired: desired ?? undefined, reported: reported ?? undefined }),
    }
  })
  if (born.length === 0) return
  await tx.query(
    'outbox.begin births',
    `UPDATE devices d SET firmware = v.firmware, model = v.model, languages = v.languages, caps = v.caps,
         lang = v.lang, desired_settings = v.desired, settings_due = v.is_due, last_birth_at = coalesce(v.at, d.last_birth_at)
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[],
         $8::boolean[], $9::bigint[]) AS v(number, firmware, model, languages, caps, lang, desired, is_due, at)
       WHERE d.number = v.number`,
    columns(born, 'rowId', 'firmware', 'model', 'languages', 'caps', 'lang', 'desired', 'isDue', 'at'),
  )
}

/** Tells the partners of devices that these are online, as far as they do not know it. */
export async function tellBirths(tx: Tx, sessions: readonly BornSession[]): Promise<void> {
  const news = sessions.filter(
    ({ isFirst, row }) => isFirst && row.clientId !== null && row.toldOnline !== true,
  )
  const run = runOn(tx.query)
  const rowIds = news.map(({ device }) => device.rowId)
  const events = news.flatMap(({ row, at }) =>
    eventOf(row, 'device.online', at, { lastSeenAt: isoInstant(at) }),
  )
  await Promise.all([
    carryOutAsync(tellOnline(POSTGRES, rowIds, true), run),
    carryOutAsync(POSTGRES.events(events), run),
  ])
}

/** Stores numbers and owners. */
export async function storeStates(
  tx: Tx,
  sessions: readonly BornSession[],
  hub: string | undefined,
): Promise<void> {
  if (sessions.length === 0) return
  const states = sessions.map(({ device }) => device)
  await tx.query(
    'outbox.begin states',
    `UPDATE device_state s SET n = v.n, session_id = v.session_id, hub = $4
     FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS v(device_number, n, session_id)
     WHERE s.device_number = v.device_number`,
    [...columns(states, 'rowId', 'n', 'sessionId'), hub ?? null],
  )
}

/**
 * A device was born under the key with this login hash, in hex. Puts the key in force if it is the next one. False when
 * it is neither that nor the one in force (sb/1 2.9).
 */
export function createConfirm(vault: Vault) {
  const [keys, nextKeys] = [sealedFields(vault, 'devices'), sealedFields(vault, 'deviceRekeys')]

  return async function confirm(tx: Tx, row: BornRow, login: string): Promise<boolean> {
    const { id, loginHash, nextKey, nextLoginHash } = row
    if (loginHash.toString('hex') === login) return true
    if (!nextKey || nextLoginHash?.toString('hex') !== login) return false
    const key = keys.seal(id, 'key', nextKeys.open(id, 'key', nextKey))
    await Promise.all([
      tx.query('outbox.begin confirm', 'UPDATE devices SET key = $2, login_hash = $3 WHERE id = $1', [
        id,
        key,
        nextLoginHash,
      ]),
      // Another next key, which was set meanwhile, stays.
      tx.query('outbox.begin confirmed', 'DELETE FROM device_rekeys WHERE id = $1 AND login_hash = $2', [
        id,
        nextLoginHash,
      ]),
    ])
    return true
  }
}
