import { type Dice, diceFrom } from './kit/dice.ts'

/** Which rare faults a world knows, and how things happen in it. */
export interface Kind {
  /** Hubs on one storage. */
  hubs: number
  /** How often a wake-up from one hub to another gets lost. */
  wakeupsLost: number
  /** Speakers lose their memory. */
  amnesia: boolean
  /** Backups are restored. */
  restores: boolean
  /** The hub's clock is set forward and back. */
  clockSteps: boolean
  /** Speakers get new keys. */
  rotations: boolean
  /** There are boxes of other makers beside the speakers. */
  boxes: boolean
  /** Events are sent to webhooks. */
  webhooks: boolean
  /** What is due happens while other things are still under way. */
  hasty: boolean
  /** Callbacks come in over HTTP, not straight to the verb. */
  overHttp: boolean
  /** Turns of the event loop from a commit to the answers of its acts: none in one thread, some when it has another. */
  answersLateBy: number
}

/** The share of worlds with several hubs. */
const SEVERAL_HUBS = 0.3
/** The share of worlds in which partners have webhooks. */
const SEND_WEBHOOKS = 0.3
/** The share of worlds with boxes, of those without backups: a third of all. */
const HAVE_BOXES = 0.4
/** `given` is what the seed does not decide. A cluster takes the clock and the backups of its database. */
export function drawKind(seed: number, dice: Dice, given: Partial<Kind> = {}): Kind {
  const webhooks = diceFrom(seed, 'webhooks').chance(SEND_WEBHOOKS)
  const lone = { ...drawLone(dice), ...(given.boxes && { restores: false }) }
  // A backup does not know that a box was sent to twice.
  const boxes = !lone.restores && !given.restores && diceFrom(seed, 'boxes').chance(HAVE_BOXES)
  const drawn = { ...lone, ...drawCluster(diceFrom(seed, 'hubs')), webhooks, boxes, ...given }
  if (drawn.hubs === 1) return drawn
  if (given.hubs === undefined && (given.restores || given.clockSteps)) return { ...drawn, hubs: 1 }
  return { ...drawn, restores: false, clockSteps: false }
}

function drawCluster(dice: Dice): Pick<Kind, 'hubs' | 'wakeupsLost'> {
  const hubs = dice.between(2, 3)
  return { hubs: dice.chance(SEVERAL_HUBS) ? hubs : 1, wakeupsLost: dice.pick([0, 0.2, 1]) }
}

function drawLone(dice: Dice): Omit<Kind, 'hubs' | 'wakeupsLost' | 'webhooks' | 'boxes'> {
  const restores = dice.chance(0.15)
  return {
    amnesia: dice.chance(0.15),
    restores,
    // A backup from before the step would bring back ends that were corrected since.
    clockSteps: !restores && dice.chance(0.25),
    // A backup from before a rotation knows the old key alone (sb/1 2.9).
    rotations: !restores && dice.chance(0.4),
    hasty: dice.chance(0.3),
    overHttp: dice.chance(0.15),
    answersLateBy: dice.chance(0.5) ? dice.between(1, 3) : 0,
  }
}
