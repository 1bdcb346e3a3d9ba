import type { Owner } from '../announcements/ports.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Parts } from './sessions.ts'

/** Devices of one act. Other acts on these devices wait for it. */
const AT_ONCE = 500
/** After an act that could not be stored. */
const RETRY_MS = 1_000
/** Beyond it the oldest are dropped: a device that is not given up stays with its session until its next birth. */
const MOST_WAITING = 100_000

export type Releases = ReturnType<typeof createReleases>

/**
 * Gives up the devices of sessions that have ended, one act at a time for all that have ended meanwhile: a network that
 * breaks ends thousands of sessions at once, and payments must not wait behind as many acts. Only other hubs ask who owns a
 * device, so a hub by itself does nothing.
 */
export function createReleases(parts: Pick<Parts, 'outbox' | 'cluster' | 'clock' | 'log'>) {
  const { outbox, cluster, clock, log } = parts
  /** By session: they never repeat. */
  const waiting = new Map<string, Owner>()
  let running: Promise<void> | undefined
  let cancelRetry: () => void = () => undefined
  let isAway = false
  let isStopped = false

  async function giveUp(owners: readonly Owner[]) {
    try {
      await outbox.leave(owners)
    } catch (error) {
      if (isUnavailable(error)) throw error
      log.error({ err: error, devices: owners.length }, 'devices can not be given up')
    }
    for (const { sessionId } of owners) waiting.delete(sessionId)
  }

  async function giveAllUp() {
    try {
      while (waiting.size > 0) await giveUp([...waiting.values()].slice(0, AT_ONCE))
      if (isAway) log.info('devices are given up again')
      isAway = false
    } catch (error) {
      if (!isAway) log.warn({ err: error }, 'devices can not be given up now: it is tried again')
      isAway = true
    }
  }

  function run(): Promise<void> {
    running ??= giveAllUp().finally(() => {
      running = undefined
      cancelRetry()
      if (waiting.size > 0 && !isStopped) cancelRetry = clock.after(RETRY_MS, () => void run())
    })
    return running
  }

  return {
    /** A session that may own its device has ended. */
    add({ deviceId, sessionId }: Owner) {
      if (cluster.wakeups.isAlone) return
      waiting.set(sessionId, { deviceId, sessionId })
      const [oldest] = waiting.keys()
      if (waiting.size > MOST_WAITING && oldest !== undefined) waiting.delete(oldest)
      // While the storage is away, the retry asks it.
      if (!isAway) void run()
    },

    /** Stores what waits. A storage that can't answer now is not asked again, also for sessions that end afterwards. */
    async stop() {
      isStopped = true
      await running
      if (!isAway && waiting.size > 0) await run()
      cancelRetry()
    },
  }
}
