import { type ClockOutcome, type ClockPlants, runClockWorld } from './clock-world.ts'
import { createDisk } from './hub/disk.ts'
import { buildTown } from './shop/town.ts'

/** Runs worlds whose clock is set, from a seed on, up to the first that breaks a promise. Adds up what has happened. */
export async function runClockWorlds(from: number, worlds: number, plants?: () => ClockPlants) {
  const disk = createDisk()
  const counts = new Map<string, number>()
  let failure: (ClockOutcome['failure'] & { seed: number }) | undefined
  try {
    const town = await buildTown(disk.folder)
    for (let seed = from; seed < from + worlds && !failure; seed += 1) {
      const outcome = await runClockWorld(seed, { disk, town }, plants?.())
      for (const [what, times] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + times)
      failure = outcome.failure && { seed, ...outcome.failure }
    }
  } finally {
    disk.remove()
  }
  return { failure, counts }
}
