import { setTimeout as sleep } from 'node:timers/promises'
import type { Memory } from '../bench/parts/memory.ts'
import type { NamedAttack } from './attacks/attacks.ts'
import type { Tally } from './gang/target.ts'
import type { Gang } from './parts/gang.ts'
import { watchResident } from './parts/resident.ts'
import type { Town } from './parts/town.ts'
import type { Noticed } from './parts/victim.ts'
import { brokenIn, type Compared, hasComeBack } from './verdict.ts'

/** The victim's callbacks a second. */
export const PER_SECOND = 20
const WARM_UP_PER_SECOND = 100
const WARM_UP_SECONDS = 5
/** Longer than the hub waits for a slow request, so that it has cut what an attack left behind. */
const BACK_WITHIN_MS = 30_000
const LOOK_EVERY_MS = 2_000

export interface Result extends Compared {
  name: string
  /** What the attackers did, and the answers that they got. */
  tally: Tally
  broken: string[]
}

export interface RunOptions {
  seconds: number
  calmSeconds: number
  seed: number
}

/** Attacks in turn, with a calm before and after each. */
export async function* runAttacks(
  { town, gang }: { town: Town; gang: Gang },
  attacks: readonly NamedAttack[],
  { seconds, calmSeconds, seed }: RunOptions,
): AsyncGenerator<Result> {
  // Until then the hub compiles its code.
  await town.victim.work(WARM_UP_PER_SECOND, WARM_UP_SECONDS)
  let calm = await town.victim.work(PER_SECOND, calmSeconds)
  for (const { name, sockets } of attacks) {
    const order = { attacks: [name], seconds, seed, target: town.target }
    const before = await town.memory()
    if (sockets !== undefined) {
      // V8 keeps the pages of its highest peak: the second time shows whether resident memory comes back.
      await gang.attack(order)
      before.rss = (await town.memory()).rss
    }
    const peakOf = watchResident(town.pid)
    const [under, tally] = await Promise.all([town.victim.work(PER_SECOND, seconds), gang.attack(order)])
    const peak = peakOf()
    const memory = { before, peak, after: await memoryBack(town, before) }
    const after: Noticed = await town.victim.work(PER_SECOND, calmSeconds)
    const compared = { calm, under, after, memory, fillsTable: sockets !== undefined }
    yield { name, tally, ...compared, broken: brokenIn(compared) }
    calm = after
  }
}

/** The memory as soon as it has come back, or at the end of the time for that. */
export async function memoryBack(town: Pick<Town, 'memory'>, before: Memory): Promise<Memory> {
  const until = performance.now() + BACK_WITHIN_MS
  for (;;) {
    const now = await town.memory()
    if (hasComeBack(before, now) || performance.now() > until) return now
    await sleep(LOOK_EVERY_MS)
  }
}
