import { randomFrom } from '../support/random.ts'
import type { NamedAttack } from './attacks/attacks.ts'
import type { Gang } from './parts/gang.ts'
import { residentBytes, watchResident } from './parts/resident.ts'
import type { Town } from './parts/town.ts'
import { memoryBack, PER_SECOND } from './run.ts'
import { spread } from './table.ts'
import { liveOf, megabytes, wronged } from './verdict.ts'

/** How long each mixture of attacks lasts. */
const LEAST_SECONDS = 10
const MOST_SECONDS = 20
const MOST_AT_ONCE = 3
/** Until then caches fill. */
const SETTLED_AFTER_MINUTES = 5
/** What the memory may grow from then to the end. */
const GROWTH = 1.2
const MINUTE_MS = 60_000

export interface MixedOptions {
  minutes: number
  seed: number
}

/** Attacks at random, one to three at a time. True when a promise broke. */
export async function runMixed(
  { town, gang }: { town: Town; gang: Gang },
  attacks: readonly NamedAttack[],
  { minutes, seed }: MixedOptions,
  say: (line: string) => void,
): Promise<boolean> {
  const random = randomFrom(seed)
  const first = await town.memory()
  const startedAt = performance.now()
  const minutesPassed = () => (performance.now() - startedAt) / MINUTE_MS
  // A short run settles in a part of its time.
  const settledAfter = Math.min(SETTLED_AFTER_MINUTES, minutes / 3)
  let settled: typeof first | undefined
  let isBroken = false
  for (let number = 0; minutesPassed() < minutes; number += 1) {
    const names = chooseFrom(attacks, random)
    const seconds = Math.round(LEAST_SECONDS + random() * (MOST_SECONDS - LEAST_SECONDS))
    const peakOf = watchResident(town.pid)
    const order = { attacks: names, seconds, seed: seed + number, target: town.target }
    const [noticed] = await Promise.all([town.victim.work(PER_SECOND, seconds), gang.attack(order)])
    const broken = wronged(noticed)
    isBroken ||= broken.length > 0
    const memory = `${megabytes(peakOf())} MB at most, ${megabytes(residentBytes(town.pid))} MB now`
    say(
      `${minutesPassed().toFixed(1)} min  ${names.join(' + ')}: callback ${spread(noticed.callback)}, to socket ${spread(noticed.socket)} ms; ${memory}`,
    )
    for (const sentence of broken) say(`  BROKEN ${sentence}`)
    if (!settled && minutesPassed() > settledAfter) settled = await memoryBack(town, first)
  }
  const [then, end] = [settled ?? first, await memoryBack(town, settled ?? first)]
  const hasGrown = end.rss > then.rss * GROWTH || liveOf(end) > liveOf(then) * GROWTH
  say(
    `Memory after ${settledAfter.toFixed(0)} minutes and at the end: resident ${megabytes(then.rss)} → ${megabytes(end.rss)} MB, live ${megabytes(liveOf(then))} → ${megabytes(liveOf(end))} MB${hasGrown ? ': it GREW' : ''}. Seed ${seed}.`,
  )
  return isBroken || hasGrown
}

function chooseFrom(attacks: readonly NamedAttack[], random: () => number): string[] {
  const left = attacks.map(({ name }) => name)
  const count = 1 + Math.floor(random() * Math.min(MOST_AT_ONCE, left.length))
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat()
}
