import type { BoxLogin } from '../../../devices/device.ts'
import type { BoxMinting, DeviceRecords, MintedBox } from '../../../devices/ports.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { addProfile } from './profile-records.ts'

type LoginRow = Omit<BoxLogin, 'revoked' | 'document'> & { revokedAt: number | null; document: string | null }

/** Speakers of other makers. */
export function createBoxRecords(engine: Engine): Pick<DeviceRecords, 'mintBox' | 'boxLogin'> {
  const { reading, writing, among } = engine
  const keys = sealedFields(engine.vault, 'devices')

  function* insert({ id, serial, key, loginHash, at, ...box }: MintedBox): Act<number | undefined> {
    const added = yield* row<{ rowId: number }>(
      'devices.mintBox',
      `INSERT INTO devices (id, serial, key, login_hash, device_name, created_at, dialect, profile, wire_id, label_hash)
       VALUES ($1, $2, $3, $4, $2, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING number AS "rowId"`,
      [
        ...[id, serial, keys.seal(id, 'key', key), loginHash, at],
        ...[box.dialect, box.profile, box.wireId, box.labelHash],
      ],
    )
    return added?.rowId
  }

  return {
    mintBox: writing(function* (by, box): Act<BoxMinting> {
      const { serial, profile, document, at, dialect } = box
      const profiled = document === undefined ? 'known' : yield* addProfile(profile, document, at)
      if (profiled === 'differs') return 'profile_differs'
      const rowId = yield* insert(box)
      if (rowId === undefined) {
        // Nothing is left of an act that was refused.
        if (profiled === 'added')
          yield* rows('profiles.remove', 'DELETE FROM profiles WHERE name = $1', [profile])
        const taken = yield* row('devices.isTaken', 'SELECT 1 FROM devices WHERE serial = $1', [serial])
        return taken ? 'serial_taken' : 'wire_id_taken'
      }
      yield* engine.addState(rowId)
      yield* noteChange({ by, at, action: 'device.add', subject: serial, details: { dialect, profile } })
      return 'added'
    }),

    boxLogin: reading(function* (names) {
      const found = yield* rows<LoginRow>(
        'devices.boxLogin',
        `SELECT d.id AS "deviceId", d.serial, d.wire_id AS "wireId", d.login_hash AS "loginHash",
           d.revoked_at AS "revokedAt", d.dialect, d.profile, p.document
         FROM devices d LEFT JOIN profiles p ON p.name = d.profile WHERE ${among('d.wire_id', '$1')}`,
        [names],
      )
      const first = names.flatMap((name) => found.find(({ wireId }) => wireId === name) ?? [])[0]
      if (!first) return undefined
      const { revokedAt, ...login } = withoutNulls(first)
      return { ...login, revoked: revokedAt !== undefined }
    }),
  }
}
