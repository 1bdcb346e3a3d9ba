import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { isUnavailable, reason } from './platform/errors.ts'
import type { Logger } from './platform/log.ts'
import { createVault, type Vault } from './security/vault.ts'
import type { Storage } from './storage/ports.ts'
import { Unreachable } from './storage/postgres/engine/primary.ts'
import { openPostgresStorage, type PostgresOptions } from './storage/postgres/storage.ts'

const TRY_EVERY_MS = 500

export interface OpenPostgresDeps extends Omit<PostgresOptions, 'vault'> {
  clock: Clock
  log: Logger
  stopping: AbortSignal | undefined
}

/**
 * Opens the storage on PostgreSQL. While no server answers it tries again, for `waitMs` in all: a server that starts
 * beside the hub, or fails over, is there in a moment. Any other error ends it at once.
 */
export async function openPostgres(
  { url, masterKeys, waitMs }: NonNullable<Config['postgres']>,
  { log, stopping, ...options }: OpenPostgresDeps,
): Promise<{ storage: Storage; vault: Vault }> {
  const vault = createVault(...masterKeys)
  const startedAt = options.clock.elapsed()
  let isSaid = false
  for (;;) {
    try {
      const storage = await openPostgresStorage(url, { ...options, vault })
      const place = { url, masterKeys: masterKeys.map((key) => Uint8Array.from(key)) }
      return { storage: { ...storage, place }, vault }
    } catch (error) {
      if (!(error instanceof Unreachable || isUnavailable(error))) throw error
      if (options.clock.elapsed() - startedAt >= waitMs) throw error
      if (!isSaid)
        log.warn({ reason: reason(error), waitMs }, 'PostgreSQL is not reachable: the hub tries again')
      isSaid = true
    }
    await pause(TRY_EVERY_MS, undefined, stopping && { signal: stopping })
  }
}
