import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { createLooks } from '../platform/time/looks.ts'
import type { Storage } from '../storage/ports.ts'

/** Between two looks for something new. */
const EVERY_MS = 5_000
/**
 * It rests thirty times as long as it has worked, so that it costs callbacks no more than three percent, also while the hub is
 * saturated. The sums of a million payments take some minutes then.
 */
const REST = 30
const LEAST_REST_MS = 10

/**
 * Keeps what is derived from payments and shops up to date, a bounded part at a time: the sums of a day, and the words of
 * shops' names. The returned function stops it.
 */
export function startKeepingUp({
  storage: { payments, stores },
  leads,
  clock,
  log,
}: {
  storage: Pick<Storage, 'payments' | 'stores'>
  /** Whether this hub does it for all hubs now. */
  leads: () => Promise<boolean>
  clock: Clock
  log: Logger
}): () => Promise<void> {
  const looks = createLooks(
    { clock, log },
    {
      async look() {
        if (!(await leads())) return EVERY_MS
        const since = clock.elapsed()
        const isMore = [await payments.sumUp(clock.now()), await stores.indexNames()]
        return isMore.includes(true) ? Math.max(LEAST_REST_MS, (clock.elapsed() - since) * REST) : EVERY_MS
      },
      failure: 'keeping the sums of days up to date failed',
      retryMs: EVERY_MS,
    },
  )
  looks.start(EVERY_MS)
  return () => looks.stop()
}
