import { and, eq } from 'drizzle-orm'
import type { CodeRecords } from '../../../devices/ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { devices, verificationCodes, verificationQuotas } from '../schema/schema.ts'

export function createCodeRecords(
  { orm, writing, audit }: OpenDatabase,
  { countCode }: Pick<StorageRules, 'countCode'>,
): CodeRecords {
  const quotaOf = (deviceId: string) =>
    orm.select().from(verificationQuotas).where(eq(verificationQuotas.deviceId, deviceId)).get()

  return {
    quota: reading(quotaOf),

    issue: writing((code, at) => {
      const { deviceId } = code
      const quota = countCode(quotaOf(deviceId), at)
      if (!quota) return undefined
      const { periodStartedAt, issued } = quota
      orm
        .insert(verificationQuotas)
        .values({ deviceId, periodStartedAt, issued })
        .onConflictDoUpdate({ target: verificationQuotas.deviceId, set: { periodStartedAt, issued } })
        .run()
      const outstanding = and(
        eq(verificationCodes.deviceId, deviceId),
        eq(verificationCodes.state, 'outstanding'),
      )
      orm.update(verificationCodes).set({ state: 'replaced' }).where(outstanding).run()
      orm
        .insert(verificationCodes)
        .values({ ...code, state: 'outstanding', issuedAt: at })
        .run()
      const device = orm
        .select({ serial: devices.serial })
        .from(devices)
        .where(eq(devices.id, deviceId))
        .get()
      const { clientId } = code
      audit.note({ at, action: 'code.issue', subject: device?.serial ?? deviceId, clientId })
      return quota
    }),
  }
}
