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

/** Opens the storage on PostgreSQL. Waits for a server that does not answer. */
export async function openPostgres(
  { url, masterKeys, waitMs }: NonNullable<Config['postgres']>,
  { log, stopping, ...options }: OpenPostgresDeps,
): Promise<{ storage: Storage; vault: Vault }> {
  const vault = createVault(...masterKeys)
  const open = () => openPostgresStorage(url, { ...options, vault })
  const storage = await untilAnswered(open, { waitMs, clock: options.clock, log, stopping })
  const place = { url, masterKeys: masterKeys.map((key) => Uint8Array.from(key)) }
  return { storage: { ...storage, place }, vault }
}

/**
 * Carries out a step of the start. While PostgreSQL does not answer, it tries again, for `waitMs` in all: a server that
 * starts beside the hub, or fails over, is there in a moment. Any other error ends it at once.
 */
export async function untilAnswered<T>(
  step: () => Promise<T>,
  { waitMs, clock, log, stopping }: Pick<OpenPostgresDeps, 'clock' | 'log' | 'stopping'> & { waitMs: number },
): Promise<T> {
  const startedAt = clock.elapsed()
  let isSaid = false
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof Unreachable || isUnavailable(error))) throw error
      if (clock.elapsed() - startedAt >= waitMs) throw error
      if (!isSaid)
        log.warn({ reason: reason(error), waitMs }, 'PostgreSQL is not reachable: the hub tries again')
      isSaid = true
    }
    await pause(TRY_EVERY_MS, undefined, stopping && { signal: stopping })
  }
}
