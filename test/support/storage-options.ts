import { systemClock } from '../../server/platform/clock.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import type { StorageOptions } from '../../server/storage/options.ts'
import { hubRules } from '../../server/storage/rules.ts'

/** The options of the hub's storage, with random ids and the machine's clock unless `change` has others. */
export function storageOptions<C extends Partial<StorageOptions>>(change: C) {
  const ids = change.ids ?? createRandomIds()
  return { ids, clock: systemClock, rules: hubRules(ids), ...change }
}
