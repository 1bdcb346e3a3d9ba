import type { Vault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openDatabase } from '../../../server/storage/sqlite/engine/database.ts'
import { paymentOf } from '../../bench/growth/payment.ts'
import type { Shop } from '../../force/parts/world.ts'

/** Payments per commit: half of the commit queue's limit. */
const AT_ONCE = 5_000
const YESTERDAY_MS = 24 * 60 * 60_000

/** Records payments of yesterday for shops whose speakers are off: all are missed, and none is shown yet. */
export async function addBacklog(
  { storage, file, vault }: { storage: Storage; file: string; vault: Vault },
  clientId: string,
  shops: readonly Shop[],
  each: number,
): Promise<void> {
  const at = Date.now() - YESTERDAY_MS
  for (const { terminalID } of shops)
    for (let from = 0; from < each; from += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, each - from) }, (_, index) => from + index)
      await Promise.all(
        numbers.map((number) => {
          const ftCode = `MISSED-${terminalID}-${number}`
          return storage.payments.record(paymentOf({ id: ftCode, clientId, at, ftCode, terminalID }))
        }),
      )
    }
  // The hub's sweep ends a thousand a second: waiting for it would take minutes.
  const { sqlite, close } = openDatabase(file, vault)
  sqlite
    .prepare(
      "UPDATE announcements SET expired_at = expires_at, stage = 'expired' WHERE stage = 'queued' AND expires_at < ?",
    )
    .run(Date.now())
  close()
}
