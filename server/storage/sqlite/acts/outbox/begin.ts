import type { Language } from '../../../../../protocol/money/language.ts'
import type { Birth, Outbox, SessionStart } from '../../../../announcements/ports.ts'
import type { Reconciliation } from '../../../../announcements/reconcile.ts'
import type { StorageObserver } from '../../../ports.ts'
import type { StorageRules } from '../../../rules.ts'
import type { OpenDatabase } from '../../engine/database.ts'
import { OPEN, UNSEEN } from '../../rows/announcement-conditions.ts'
import type { CommandNumbers } from '../../rows/command-numbers.ts'
import type { Rekeys } from '../../rows/rekeys.ts'
import { createSettingsRows } from '../../rows/settings-rows.ts'
import { createReconcile, type ReconcileCursor } from './reconcile.ts'

/** The numbers that a session begins with: of the welcome and of the idle screen, which follow every birth. */
const NUMBERS = 2

interface Row {
  device: number
  loginHash: Buffer
  lang: Language
  reportedVersion: number | null
  hasDesired: number
  hasMaintenance: number
}

/** What the act does besides its own statements. */
export interface BeginParts {
  numbers: CommandNumbers
  rekeys: Rekeys
  screen: (deviceId: string, at: number) => SessionStart['screen']
  open: (deviceId: string, at: number) => SessionStart['open']
}

/**
 * Stores a birth, and reads all that follows it: see the port.
 *
 * Why one act: a connect waited for five commits one after another. And the writer reads from pages that it has just
 * written, while the hub's thread gives up all its pages with each commit and reads them again. Figures:
 * test/bench/README.md.
 */
export function createBegin(
  { orm, commits, revisions }: OpenDatabase,
  { numbers, rekeys, screen, open }: BeginParts,
  rules: Pick<StorageRules, 'reconcile' | 'isPending' | 'catchUpSettings' | 'languageAfterBirth'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Outbox['begin'] {
  const { $client: sqlite } = orm
  const reconcile = createReconcile(orm, numbers, rules)
  const settings = createSettingsRows(orm, revisions, rules)
  const deviceOf = sqlite.prepare<[id: string], Row>(
    `SELECT number AS device, login_hash AS loginHash, lang, reported_settings ->> 'ver' AS reportedVersion,
       desired_settings IS NOT NULL AS hasDesired,
       EXISTS (SELECT 1 FROM device_rekeys r WHERE r.id = devices.id)
         OR EXISTS (SELECT 1 FROM device_offers o WHERE o.id = devices.id) AS hasMaintenance
     FROM devices WHERE id = ?`,
  )
  const setBirth = sqlite.prepare(
    `UPDATE devices SET firmware = @firmware, model = @model, languages = @languages, caps = @caps, lang = @lang,
       last_birth_at = @at
     WHERE number = @device`,
  )
  const hasAny = (condition: string) =>
    sqlite.prepare<[device: number]>(
      `SELECT 1 FROM announcements WHERE device_number = ? AND ${condition} LIMIT 1`,
    )
  const [anyOpen, anyUnseen] = [hasAny(OPEN), hasAny(UNSEEN)]

  /** False when the key of the birth is no key of the device any more. */
  function record(deviceId: string, { device, loginHash, lang }: Row, { born, login }: Birth, at: number) {
    if (login !== undefined && !rekeys.confirm(deviceId, loginHash, login)) return false
    const { firmware, model, languages, caps, played } = born
    const spoken = rules.languageAfterBirth(lang, languages)
    if (spoken !== lang) revisions.raise('stores')
    const said = { firmware, model, languages: languages.join(' '), caps: caps.join(' ') }
    setBirth.run({ ...said, lang: spoken, at, device })
    numbers.raise(deviceId, played)
    return true
  }

  /** What the session must still send, also when it begins again without a birth. */
  function settingsDue(deviceId: string, birth: Birth | undefined) {
    const row = settings.byId(deviceId)
    if (!row) return undefined
    const known = settings.toSettings(row)
    if (!birth) return rules.isPending(known) ? known.desired : undefined
    const desired = rules.catchUpSettings(known, birth.born.settingsVersion)
    if (desired && desired.ver !== known.desired?.ver) settings.store(row, { ...known, desired })
    return desired
  }

  function start(deviceId: string, row: Row, birth: Birth | undefined, at: number): SessionStart {
    const { device, reportedVersion, hasDesired, hasMaintenance } = row
    const last = numbers.take(device, NUMBERS)
    return {
      highestNumber: last - NUMBERS,
      numbers: Array.from({ length: NUMBERS }, (_, index) => last - NUMBERS + 1 + index),
      reportedVersion: reportedVersion ?? undefined,
      screen: screen(deviceId, at),
      open: anyOpen.get(device) ? open(deviceId, at) : [],
      hasMissed: anyUnseen.get(device) !== undefined,
      hasMaintenance: hasMaintenance === 1,
      settings: hasDesired === 1 ? settingsDue(deviceId, birth) : undefined,
    }
  }

  interface Value {
    found?: Reconciliation<{ queuedAt: number }>
    start?: SessionStart
  }

  return async function begin(deviceId, at, birth) {
    let started: SessionStart | undefined
    const page = (cursor: ReconcileCursor | undefined) => {
      const row = deviceOf.get(deviceId)
      const nothing: Value = {}
      if (!row) return { value: nothing, next: undefined }
      if (birth && !cursor && !record(deviceId, row, birth, at)) return { value: nothing, next: undefined }
      const isToReconcile = birth && (anyOpen.get(row.device) ?? anyUnseen.get(row.device))
      const { value: found, next } = isToReconcile
        ? reconcile.page(row.device, birth.born.played, at, cursor ?? reconcile.first(deviceId))
        : { value: undefined, next: undefined }
      const value: Value = {
        ...(found && { found }),
        ...(!next && { start: start(deviceId, row, birth, at) }),
      }
      return { value, next }
    }
    await commits.writePages<ReconcileCursor | undefined, Value>(undefined, page, ({ found, start }) => {
      for (const { queuedAt } of found?.played ?? []) observe('played', at - queuedAt)
      for (const { queuedAt } of found?.expired ?? []) observe('expired', at - queuedAt)
      started = start
    })
    return started
  }
}
