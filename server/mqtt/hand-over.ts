import type { Clock } from '../platform/clock.ts'

/** How often some are closed. */
const STEP_MS = 50

/** A connection that stands. */
export interface Standing {
  /** Nothing is under way to its device. */
  isIdle(): boolean
  close(): void
  /** Resolves when it has ended. */
  gone: Promise<void>
}

/**
 * Closes connections evenly over `withinMs`, those with nothing under way first. Resolves when all have ended, or
 * soon after `goesOn` says no.
 *
 * Why: their devices connect to other hubs at once, and each connect costs a handshake and a birth.
 */
export async function closeEvenly(
  connections: Iterable<Standing>,
  clock: Clock,
  withinMs: number,
  goesOn: () => boolean = () => true,
) {
  const all = [...connections]
  const open = new Set(all)
  for (const one of all) void one.gone.then(() => open.delete(one))
  const startedAt = clock.elapsed()
  while (open.size > 0 && goesOn()) {
    const leftMs = startedAt + withinMs - clock.elapsed()
    const mayStay = leftMs > 0 ? Math.ceil((all.length * leftMs) / withinMs) - 1 : 0
    closeSome(open, open.size - mayStay)
    if (open.size > 0) await new Promise<void>((resolve) => clock.after(STEP_MS, resolve))
  }
  if (goesOn()) await Promise.all(all.map(({ gone }) => gone))
}

/** Closes so many, and takes them out. */
function closeSome(open: Set<Standing>, most: number) {
  let left = most
  for (const takesAny of [false, true])
    for (const one of open) {
      if (left <= 0) return
      if (!takesAny && !one.isIdle()) continue
      open.delete(one)
      one.close()
      left -= 1
    }
}
