import { actionsOf } from './actions.ts'
import { createDisk, type Disk } from './hub/disk.ts'
import type { Kind } from './kind.ts'
import { diceFrom } from './kit/dice.ts'
import { Violation } from './kit/violation.ts'
import { buildTown } from './shop/town.ts'
import { createWorld, type Plants, type Towns, type World } from './world.ts'

/** How many things are made to happen in a world, unless told otherwise. */
export const STEPS = 20

export interface RunOptions {
  /** How many things are made to happen. */
  steps?: number
  /** Only these of them, by number from 0: what a failure was cut down to. */
  only?: ReadonlySet<number> | undefined
  plants?: Plants
  kind?: Partial<Kind>
}

export interface Outcome {
  seed: number
  /** Tells two runs apart by everything that has happened. */
  hash: string
  steps: number
  /** What has happened, how often. */
  counts: ReadonlyMap<string, number>
  failure: Failure | undefined
}

export interface Failure {
  /** The promise's name, or `crash`. */
  invariant: string
  what: string
  /** What happened in which step. */
  actions: { step: number; name: string }[]
  /** The newest lines of the trace. */
  trace: string[]
}

/** A place for worlds, with the towns that they begin with. */
export interface Ground {
  run(seed: number, options?: RunOptions): Promise<Outcome>
  remove(): void
}

export async function prepareGround(): Promise<Ground> {
  const disk = createDisk()
  const towns = {
    plain: await buildTown(disk.folder),
    withBoxes: await buildTown(disk.folder, { hasBoxes: true }),
  }
  return {
    run: (seed, options = {}) => runWorld(seed, options, { disk, towns }),
    remove: disk.remove,
  }
}

async function runWorld(
  seed: number,
  options: RunOptions,
  place: { disk: Disk; towns: Towns },
): Promise<Outcome> {
  const { steps = STEPS, only, plants, kind } = options
  const world = createWorld(seed, { ...place, plants, kind })
  const actions: Failure['actions'] = []
  let failure: Failure | undefined
  try {
    for (const speaker of [...world.speakers, ...world.boxes])
      if (diceFrom(seed, speaker.serial).chance(0.8)) speaker.switchOn()
    for (let step = 0; step < steps; step += 1)
      if (!only || only.has(step)) await act(world, seed, step, (name) => actions.push({ step, name }))
    await world.comeToRest()
  } catch (error) {
    failure = { ...describe(error), actions, trace: world.trace.tail(60) }
  }
  world.oracle.tally()
  const hash = world.trace.hash()
  const counts = world.trace.counts()
  await world.close()
  return { seed, hash, steps: actions.length, counts, failure }
}

/**
 * One step has dice of its own, so that leaving out another changes nothing about what it draws. Its name is told before
 * it happens: it may be the one that breaks something.
 */
async function act(world: World, seed: number, step: number, tell: (name: string) => void) {
  const dice = diceFrom(seed, 'step', step)
  const action = dice.weigh(actionsOf(world.kind).map((one) => ({ weight: one.weight, of: one })))
  if (!action) throw new Error('there is always something that may happen')
  tell(action.name)
  world.trace.note(`-- ${step}: ${action.name}`)
  await action.act(world, dice)
  await world.turn(dice.chance(0.6) ? 'settle' : dice.between(0, 3))
  world.oracle.check()
}

function describe(error: unknown): Pick<Failure, 'invariant' | 'what'> {
  if (error instanceof Violation) return { invariant: error.invariant, what: error.message }
  return { invariant: 'crash', what: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
