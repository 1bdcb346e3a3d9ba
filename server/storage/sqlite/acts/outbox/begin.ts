import type { Language } from '../../../../../protocol/money/language.ts'
import type { Birth, Outbox, Owner, SessionStart } from '../../../../announcements/ports.ts'
import type { Reconciliation } from '../../../../announcements/reconcile.ts'
import { isoInstant } from '../../../../platform/clock.ts'
import type { Vault } from '../../../../security/vault.ts'
import { carryOut } from '../../../acts/act.ts'
import { eventOf, tellOnline } from '../../../acts/device-events.ts'
import { lockDevice } from '../../../acts/device-rows.ts'
import { storeSettings } from '../../../acts/devices/settings-records.ts'
import type { StorageObserver } from '../../../ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { OPEN, UNSEEN } from '../../../shared/announcement-conditions.ts'
import type { ReconcileCursor } from '../../../shared/pages.ts'
import { sealedFields } from '../../../shared/sealed-columns.ts'
import { toSettings } from '../../../shared/settings-mapping.ts'
import type { OpenDatabase } from '../../engine/database.ts'
import type { CommandNumbers } from '../../rows/command-numbers.ts'
import { runOn, SQLITE } from '../../schema/statements.ts'
import { createReconcile } from './reconcile.ts'

interface Row {
  device: number
  serial: string
  clientId: string | null
  toldOnline: number | null
  loginHash: Buffer
  lang: Language
  owner: string | null
  reportedVersion: number | null
  hasDesired: number
  hasMaintenance: number
}

type Found = Reconciliation<{ queuedAt: number }>
/** The last page of the act, when there is nothing to reconcile. */
const NOTHING = { value: undefined, next: undefined }

interface Parts {
  numbers: CommandNumbers
  screen: (deviceId: string, at: number) => SessionStart['screen']
  open: (deviceId: string, at: number) => SessionStart['open']
}

/**
 * Stores a birth, and reads all that follows it: see the port.
 *
 * Why one act: as acts of their own, its parts make a connect wait for five commits. And the writer reads from pages
 * that it has just written, while the hub's thread drops all its pages at each commit and reads them again. Figures:
 * test/bench/README.md.
 */
export function createBegin(
  database: OpenDatabase,
  vault: Vault,
  { numbers, screen, open }: Parts,
  rules: Pick<StorageRules, 'reconcile' | 'isPending' | 'catchUpSettings' | 'languageAfterBirth'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Outbox['begin'] {
  const { sqlite, commits } = database
  const run = runOn(sqlite)
  const reconcile = createReconcile(database, numbers, rules)
  const confirm = createConfirm(database, vault)
  const deviceOf = sqlite.prepare<[id: string], Row>(
    `SELECT number AS device, serial, client_id AS clientId,
       (SELECT is_online FROM device_told t WHERE t.device_number = devices.number) AS toldOnline, login_hash AS loginHash, lang, session_id AS owner, reported_settings ->> 'ver' AS reportedVersion,
       desired_settings IS NOT NULL AS hasDesired,
       EXISTS (SELECT 1 FROM device_rekeys r WHERE r.id = devices.id)
         OR EXISTS (SELECT 1 FROM device_offers o WHERE o.id = devices.id) AS hasMaintenance
     FROM devices WHERE id = ?`,
  )
  const setBirth = sqlite.prepare(
    `UPDATE devices SET firmware = @firmware, model = @model, languages = @languages, caps = @caps, lang = @lang,
       last_birth_at = @at, session_id = @sessionId
     WHERE number = @device`,
  )
  const hasAny = (condition: string) =>
    sqlite.prepare<[device: number]>(
      `SELECT 1 FROM announcements WHERE device_number = ? AND ${condition} LIMIT 1`,
    )
  const [anyOpen, anyUnseen] = [hasAny(OPEN), hasAny(UNSEEN)]

  /** False when the key of the birth is no key of the device. */
  function record({ deviceId, sessionId }: Owner, row: Row, { born, login }: Birth, at: number) {
    const { device, loginHash, lang } = row
    if (login !== undefined && !confirm(deviceId, loginHash, login)) return false
    const { firmware, model, languages, caps, played } = born
    const spoken = rules.languageAfterBirth(lang, languages)
    if (spoken !== lang) carryOut(SQLITE.raise('stores'), run)
    const said = { firmware, model, languages: languages.join(' '), caps: caps.join(' ') }
    setBirth.run({ ...said, lang: spoken, at, sessionId, device })
    numbers.raise(deviceId, played)
    if (row.clientId !== null && row.toldOnline !== 1) {
      carryOut(tellOnline(SQLITE, [device], true), run)
      carryOut(SQLITE.events(eventOf(row, 'device.online', at, { lastSeenAt: isoInstant(at) })), run)
    }
    return true
  }

  /** What the session must still send, also when it begins again without a birth. */
  function settingsDue(deviceId: string, birth: Birth | undefined) {
    const row = carryOut(lockDevice(SQLITE, 'id', deviceId), run)
    if (!row) return undefined
    const known = toSettings(row)
    if (!birth) return rules.isPending(known) ? known.desired : undefined
    const desired = rules.catchUpSettings(known, birth.born.settingsVersion)
    if (desired && desired.ver !== known.desired?.ver)
      carryOut(storeSettings(SQLITE, rules, row, { ...known, desired }), run)
    return desired
  }

  function start(
    deviceId: string,
    row: Row,
    birth: Birth | undefined,
    at: number,
  ): Omit<SessionStart, 'isTakeover'> {
    const { device, reportedVersion, hasDesired, hasMaintenance } = row
    // The welcome and the idle screen follow every birth.
    const first = numbers.take(device)
    return {
      highestNumber: first - 1,
      numbers: [first, numbers.take(device)],
      reportedVersion: reportedVersion ?? undefined,
      screen: screen(deviceId, at),
      open: anyOpen.get(device) ? open(deviceId, at) : [],
      hasMissed: anyUnseen.get(device) !== undefined,
      hasMaintenance: hasMaintenance === 1,
      settings: hasDesired === 1 ? settingsDue(deviceId, birth) : undefined,
    }
  }

  return async function begin(owner, at, birth) {
    const { deviceId, sessionId } = owner
    let started: SessionStart | undefined
    let isTakeover = false
    const page = (cursor: ReconcileCursor | undefined) => {
      started = undefined
      const row = deviceOf.get(deviceId)
      if (!row) return NOTHING
      if (birth && !birth.isAgain && !cursor) {
        isTakeover = row.owner !== null && row.owner !== sessionId
        if (!record(owner, row, birth, at)) return NOTHING
      } else if (row.owner !== sessionId) return NOTHING
      const isToReconcile = birth && (anyOpen.get(row.device) ?? anyUnseen.get(row.device))
      const reconciled = isToReconcile
        ? reconcile.page(row.device, birth.born.played, at, cursor ?? reconcile.first(deviceId))
        : NOTHING
      if (!reconciled.next) started = { isTakeover, ...start(deviceId, row, birth, at) }
      return reconciled
    }
    await commits.writePages<ReconcileCursor | undefined, Found | undefined>(undefined, page, (found) => {
      for (const { queuedAt } of found?.played ?? []) observe('played', at - queuedAt)
      for (const { queuedAt } of found?.expired ?? []) observe('expired', at - queuedAt)
    })
    return started
  }
}

/**
 * A device was born under the key with this login hash, in hex. Puts the key in force if it is the next one. False when
 * it is neither that nor the one in force (sb/1 2.9).
 */
function createConfirm({ sqlite }: OpenDatabase, vault: Vault) {
  const [keys, nextKeys] = [sealedFields(vault, 'devices'), sealedFields(vault, 'deviceRekeys')]
  const next = sqlite.prepare<[id: string], { key: Buffer; loginHash: Buffer }>(
    'SELECT key, login_hash AS loginHash FROM device_rekeys WHERE id = ?',
  )
  const putInForce = sqlite.prepare<[key: Buffer, loginHash: Buffer, id: string]>(
    'UPDATE devices SET key = ?, login_hash = ? WHERE id = ?',
  )
  const forget = sqlite.prepare<[id: string]>('DELETE FROM device_rekeys WHERE id = ?')

  return function confirm(id: string, inForce: Buffer, login: string): boolean {
    if (inForce.toString('hex') === login) return true
    const row = next.get(id)
    if (row?.loginHash.toString('hex') !== login) return false
    putInForce.run(keys.seal(id, 'key', nextKeys.open(id, 'key', row.key)), row.loginHash, id)
    forget.run(id)
    return true
  }
}
