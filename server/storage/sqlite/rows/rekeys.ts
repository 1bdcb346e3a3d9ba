import { eq, sql } from 'drizzle-orm'
import type { Vault } from '../../../security/vault.ts'
import type { Orm } from '../engine/database.ts'
import { deviceRekeys, devices } from '../schema/schema.ts'
import { sealedFields } from '../schema/sealed-columns.ts'

/** The next keys of devices, inside the acts of other ports. */
export interface Rekeys {
  /**
   * A device was born under the key with this login hash, in hex. Puts the key in force if it is the next one. False when
   * it is neither that nor the one in force (sb/1 2.9).
   */
  confirm(deviceId: string, inForce: Buffer, login: string): boolean
}

export function createRekeys(orm: Orm, vault: Vault): Rekeys {
  const [keys, nextKeys] = [sealedFields(vault, 'devices'), sealedFields(vault, 'deviceRekeys')]
  const byId = orm
    .select()
    .from(deviceRekeys)
    .where(eq(deviceRekeys.id, sql.placeholder('id')))
    .prepare()

  return {
    confirm(id, inForce, login) {
      if (inForce.toString('hex') === login) return true
      const row = byId.get({ id })
      if (row?.loginHash.toString('hex') !== login) return false
      const key = keys.seal(id, 'key', nextKeys.open(id, 'key', row.key))
      orm.update(devices).set({ key, loginHash: row.loginHash }).where(eq(devices.id, id)).run()
      orm.delete(deviceRekeys).where(eq(deviceRekeys.id, id)).run()
      return true
    },
  }
}
