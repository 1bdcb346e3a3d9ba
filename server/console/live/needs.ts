import type { DeviceTally } from '../../devices/ports.ts'
import type { Clock } from '../../platform/clock.ts'
import { isUnavailable } from '../../platform/errors.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import type { Logger } from '../../platform/log.ts'
import type { StoragePorts } from '../../storage/ports.ts'
import type { WebhookCounts } from '../../webhooks/ports.ts'

/** A device is silent that was last seen longer ago. */
const SILENT_MS = 24 * 60 * 60_000
/** Percent. */
export const LOW_BATTERY = 15
/** What is older is counted again when somebody looks. */
const GOOD_FOR_MS = 10_000
/** A page waits so long for a count, and else shows the one before. */
const PATIENCE_MS = 40

/** What needs somebody now. */
export interface Needs extends DeviceTally {
  /** When it was counted. */
  at: number
  webhooks: Pick<WebhookCounts, 'failing' | 'disabled'>
  /** No old row is deleted, because the clock is in doubt. */
  retentionWaits: boolean
}

export interface NeedsDeps {
  storage: Pick<StoragePorts, 'lists' | 'webhookQueue'>
  /** See DeviceLists. */
  hubSince: number
  retentionWaits: () => boolean
  slices: Slices
  clock: Clock
  log: Logger
}

/**
 * Counts what needs somebody, once for all who look. Why all devices, in slices: an index for each count would cost every
 * birth and every report its write.
 */
export function createNeeds({ storage, hubSince, retentionWaits, slices, clock, log }: NeedsDeps) {
  let last: { needs: Needs; elapsed: number } | undefined
  let underWay: Promise<void> | undefined

  async function tally(at: number): Promise<DeviceTally> {
    const sum = { offline: 0, silent: 0, lowBattery: 0 }
    const filter = { silentSince: at - SILENT_MS, batteryAtMost: LOW_BATTERY }
    let after: string | undefined
    do {
      const found = await slices.run('needs', () => storage.lists.devices.tally(filter, hubSince, after))
      sum.offline += found.tally.offline
      sum.silent += found.tally.silent
      sum.lowBattery += found.tally.lowBattery
      after = found.next
    } while (after !== undefined)
    return sum
  }

  async function count() {
    const at = clock.now()
    try {
      const devices = await tally(at)
      const { failing, disabled } = await storage.webhookQueue.counts()
      const needs = { at, ...devices, webhooks: { failing, disabled }, retentionWaits: retentionWaits() }
      last = { needs, elapsed: clock.elapsed() }
    } catch (error) {
      if (!isUnavailable(error)) log.error({ err: error }, 'the console can not count what needs somebody')
    }
    underWay = undefined
  }

  return {
    /** The newest count, with its age. Undefined until there is one. */
    async read(): Promise<Needs | undefined> {
      if (last && clock.elapsed() - last.elapsed < GOOD_FOR_MS) return last.needs
      underWay ??= count()
      await Promise.race([underWay, new Promise<void>((resolve) => clock.after(PATIENCE_MS, resolve))])
      return last?.needs
    },
  }
}
