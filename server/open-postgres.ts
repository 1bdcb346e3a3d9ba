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

/** Carries out a step of the start of a hub. */
export type AtStart = <T>(step: () => Promise<T>) => Promise<T>

export type OpenPostgresDeps = Omit<PostgresOptions, 'vault'>

/** Opens the storage on PostgreSQL. */
export async function openPostgres(
  { url, masterKeys }: NonNullable<Config['postgres']>,
  options: OpenPostgresDeps,
): Promise<{ storage: Storage; vault: Vault }> {
  const vault = createVault(...masterKeys)
  const storage = await openPostgresStorage(url, { ...options, vault })
  const place = { url, masterKeys: masterKeys.map((key) => Uint8Array.from(key)) }
  return { storage: { ...storage, place }, vault }
}

export interface WaitDeps {
  clock: Clock
  log: Logger
  stopping: AbortSignal | undefined
}

/**
 * While PostgreSQL does not answer, a step is tried again, for `waitMs` in all steps together: a server that starts beside
 * the hub, or fails over, is there in a moment. The log says so once. Any other error ends the step at once.
 */
export function waitForPostgres(waitMs: number, { clock, log, stopping }: WaitDeps): AtStart {
  const startedAt = clock.elapsed()
  let isSaid = false
  return async (step) => {
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
}
