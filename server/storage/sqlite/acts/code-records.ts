import { and, desc, eq } from 'drizzle-orm'
import type { CodeRecords } from '../../../devices/ports.ts'
import type { CodesBefore } from '../../../devices/verification-code.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { verificationCodes, verificationQuotas } from '../schema/schema.ts'

export function createCodeRecords(
  { orm, writing }: OpenDatabase,
  { countCode, codesPerDevice }: Pick<StorageRules, 'countCode' | 'codesPerDevice'>,
): CodeRecords {
  const { deviceId: quotaDevice, clientId: quotaClient, periodStartedAt, issued } = verificationQuotas

  function before(clientId: string, deviceId: string): CodesBefore {
    const mine = and(eq(quotaDevice, deviceId), eq(quotaClient, clientId))
    const newest = orm
      .select({ at: verificationCodes.issuedAt })
      .from(verificationCodes)
      .where(eq(verificationCodes.deviceId, deviceId))
      .orderBy(desc(verificationCodes.issuedAt))
      .limit(codesPerDevice)
      .all()
    return {
      own: orm.select({ periodStartedAt, issued }).from(verificationQuotas).where(mine).get(),
      newest: newest.map(({ at }) => at),
    }
  }

  return {
    before: reading(before),

    issue: writing((code, at) => {
      const { deviceId, clientId } = code
      const quota = countCode(before(clientId, deviceId), at)
      if (!quota) return undefined
      orm
        .insert(verificationQuotas)
        .values({ deviceId, clientId, ...quota })
        .onConflictDoUpdate({ target: [quotaDevice, quotaClient], set: quota })
        .run()
      const outstanding = and(
        eq(verificationCodes.deviceId, deviceId),
        eq(verificationCodes.clientId, clientId),
        eq(verificationCodes.state, 'outstanding'),
      )
      orm.update(verificationCodes).set({ state: 'replaced' }).where(outstanding).run()
      orm
        .insert(verificationCodes)
        .values({ ...code, state: 'outstanding', issuedAt: at })
        .run()
      return quota
    }),
  }
}
