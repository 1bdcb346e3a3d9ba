import { expect } from 'vitest'
import type { Stage } from '../../../server/announcements/announcement.ts'
import type { SoundProof } from '../../../server/devices/device.ts'
import type { BoxOnLine } from './box.ts'
import type { Witness } from './line.ts'
import { type Box, openBoxWorld, type World } from './world.ts'

/** The dialects, each by one of its profiles. */
export const KINDS = ['hemipay', 'clip-numbers', 'alink'] as const
export type Kind = (typeof KINDS)[number]

/** What becomes of one announcement. */
interface Outcome {
  /** How often the shop hears the amount. */
  sounds: number
  stage: Stage
  proof?: SoundProof | undefined
  reason?: string | undefined
  mayRepeat?: true | undefined
}

const HOUR_MS = 3_600_000
/** An announcement is never sent later than this, and a box has 10 s more to confirm it. */
const LATEST_MS = 130_000
/** Longer than a box is ever waited for: its reply (60 s), the announcement's time (120 s), the sweep. */
const LONG_MS = 140_000
/** A box comes again, and gets what is meant for it. */
const AGAIN_MS = 40_000
/** The broker ends a silent connection after one and a half keepalives, of 120 s at most. */
const UNHEARD_MS = 200_000

type Fault = (typeof FAULTS)[number]
export const FAULTS = [
  'nothing',
  'the line is cut before the message arrives',
  'the line is cut before the PUBACK',
  'the hub is killed as the PUBACK comes, before it is stored',
  'the hub is killed after the PUBACK is stored',
  'the box dies after the PUBACK',
  'the box never sends a PUBACK',
  'the line stalls for 60 s',
  'the line stalls for 150 s',
  'the box is offline for 3 min',
  'the box is offline for 3 min, and the hub does not know it',
  "the hub's clock is set forward by 1 h while it is under way",
  "the hub's clock is set back by 1 h while it is under way",
  'the box answers with the id of nothing',
  'the callback comes twice',
] as const

const accepted: Outcome = { sounds: 1, stage: 'delivered', proof: 'accepted' }
const confirmed: Outcome = { sounds: 1, stage: 'delivered', proof: 'none' }
const played: Outcome = { sounds: 1, stage: 'played', proof: 'played' }
const repeated: Outcome = { ...confirmed, mayRepeat: true }
const unconfirmed: Outcome = { sounds: 0, stage: 'expired', reason: 'unconfirmed' }
const missed: Outcome = { sounds: 0, stage: 'expired' }

/** What each dialect promises under each fault, as design and contract have it. */
export const EXPECTED: Record<Fault, Record<Kind, Outcome>> = {
  nothing: { hemipay: accepted, 'clip-numbers': confirmed, alink: played },
  // Sent a second time after the connection was reset, or after the box has come back.
  'the line is cut before the message arrives': {
    hemipay: accepted,
    'clip-numbers': repeated,
    alink: played,
  },
  // Those that know ids do not say it again, and nobody knows more than that they have it.
  'the line is cut before the PUBACK': {
    hemipay: confirmed,
    'clip-numbers': { ...repeated, sounds: 2 },
    alink: { ...accepted },
  },
  'the hub is killed as the PUBACK comes, before it is stored': {
    hemipay: confirmed,
    'clip-numbers': { ...repeated, sounds: 2 },
    alink: accepted,
  },
  // After a stored PUBACK nothing is sent again, but to a box that can say by its id whether it was spoken.
  'the hub is killed after the PUBACK is stored': {
    hemipay: accepted,
    'clip-numbers': confirmed,
    alink: accepted,
  },
  // It may have been silent. Its memory of ids is gone, too: a box that is asked again says it again.
  'the box dies after the PUBACK': {
    hemipay: confirmed,
    'clip-numbers': confirmed,
    alink: { ...played, sounds: 2 },
  },
  // Its answer is more than a PUBACK, where it has one.
  'the box never sends a PUBACK': {
    hemipay: accepted,
    'clip-numbers': { ...unconfirmed, sounds: 2, mayRepeat: true },
    alink: played,
  },
  'the line stalls for 60 s': { hemipay: accepted, 'clip-numbers': repeated, alink: played },
  'the line stalls for 150 s': { hemipay: unconfirmed, 'clip-numbers': unconfirmed, alink: unconfirmed },
  'the box is offline for 3 min': { hemipay: missed, 'clip-numbers': missed, alink: missed },
  'the box is offline for 3 min, and the hub does not know it': {
    hemipay: unconfirmed,
    'clip-numbers': unconfirmed,
    alink: unconfirmed,
  },
  "the hub's clock is set forward by 1 h while it is under way": {
    hemipay: accepted,
    'clip-numbers': confirmed,
    alink: played,
  },
  "the hub's clock is set back by 1 h while it is under way": {
    hemipay: accepted,
    'clip-numbers': confirmed,
    alink: played,
  },
  'the box answers with the id of nothing': {
    hemipay: confirmed,
    'clip-numbers': confirmed,
    alink: confirmed,
  },
  'the callback comes twice': { hemipay: accepted, 'clip-numbers': confirmed, alink: played },
}

/** What a fault leaves behind when it has really happened. */
const WITNESSES: Partial<Record<Fault, readonly Witness[]>> = {
  'the line is cut before the message arrives': ['message lost'],
  'the line is cut before the PUBACK': ['puback lost'],
  'the hub is killed as the PUBACK comes, before it is stored': ['hub killed'],
  'the hub is killed after the PUBACK is stored': ['hub killed'],
  'the box dies after the PUBACK': ['power lost'],
  'the line stalls for 60 s': ['stalled', 'bytes discarded'],
  'the line stalls for 150 s': ['stalled', 'bytes discarded'],
  'the box answers with the id of nothing': ['stray answer'],
}

/** Boxes that do not answer what they say have no stray answer, and those that answer need no PUBACK. */
const RESETS: Partial<Record<Fault, readonly Kind[]>> = { 'the box never sends a PUBACK': ['clip-numbers'] }

export interface Seen extends Outcome {
  /** The longest time from the payment to a sound. */
  latestMs: number
}

/** Lets one fault happen to one announcement of one box, and waits until nothing more can come. */
export async function suffer(world: World, kind: Kind, fault: Fault): Promise<Seen> {
  const { here, there, clock, pass, addBox } = world
  const box = await addBox(kind, { at: there })
  await box.powerOn()
  await pass(10_000)
  const paidAt = clock.elapsed()
  const ftCode = await happen(world, box, fault)
  await pass(LONG_MS)
  // A hub that starts anew, and a box that comes again, find nothing that they say once more.
  const last = here.isDead() || there.isDead() ? world.alive() : await world.anotherHub()
  box.use(last)
  box.cut()
  await pass(AGAIN_MS)
  const { stage, proof, reason, mayRepeat } = await world.trail(ftCode)
  expect(box.witnesses).toEqual(expect.arrayContaining([...(WITNESSES[fault] ?? [])]))
  if (RESETS[fault]?.includes(kind)) expect(box.witnesses).toContain('reset')
  if (fault.startsWith('the box is offline')) await expectShown(world, box)
  const latestMs = Math.max(0, ...box.heardAt.map(({ at }) => at - paidAt))
  expect(latestMs).toBeLessThanOrEqual(LATEST_MS)
  return { sounds: box.heardAt.length, stage, proof, reason, mayRepeat, latestMs }
}

/** The payment, and what happens to it. */
async function happen(world: World, box: Box, fault: Fault): Promise<string> {
  const { here, there, clock, pass } = world
  const pay = (at = here) => world.pay(box.terminalID, '50000', { at })
  switch (fault) {
    case 'nothing':
      return pay()
    case 'the line is cut before the message arrives':
      return broken(box, 'message', () => cutOver(box, here), pay)
    case 'the line is cut before the PUBACK':
      return broken(box, 'puback', () => cutOver(box, here), pay)
    case 'the hub is killed as the PUBACK comes, before it is stored': {
      const kill = () => killed(box, there)
      return killing(world, box, () => broken(box, 'puback', kill, pay))
    }
    case 'the hub is killed after the PUBACK is stored': {
      const kill = () => void clock.after(1, () => killed(box, there))
      return killing(world, box, () => broken(box, 'confirmed', kill, pay))
    }
    case 'the box dies after the PUBACK':
      return broken(box, 'confirmed', () => die(box, here, clock), pay)
    case 'the box never sends a PUBACK':
      box.fault('no-puback', true)
      return pay()
    case 'the line stalls for 60 s':
    case 'the line stalls for 150 s': {
      box.stall(true)
      const ftCode = await pay()
      await pass(fault === 'the line stalls for 60 s' ? 60_000 : 150_000)
      box.stall(false)
      return ftCode
    }
    case 'the box is offline for 3 min':
    case 'the box is offline for 3 min, and the hub does not know it': {
      box.cut({ comesBack: false })
      if (fault === 'the box is offline for 3 min') await pass(UNHEARD_MS)
      const ftCode = await pay()
      await pass(180_000)
      box.use(here)
      await box.plugIn()
      return ftCode
    }
    case "the hub's clock is set forward by 1 h while it is under way":
      return clockSet(world, box, HOUR_MS, pay)
    case "the hub's clock is set back by 1 h while it is under way":
      return clockSet(world, box, -HOUR_MS, pay)
    case 'the box answers with the id of nothing':
      box.fault('stray-reply', true)
      return pay()
    case 'the callback comes twice': {
      const ftCode = await pay()
      await pass(3_000)
      return world.pay(box.terminalID, '50000', { at: there, ftCode })
    }
  }
}

function broken(
  box: BoxOnLine,
  at: 'message' | 'puback' | 'confirmed',
  act: () => void,
  pay: () => Promise<string>,
): Promise<string> {
  box.breaks = [{ at, act }]
  return pay()
}

/** The line is cut. The box comes back at another hub, if there is one. */
function cutOver(box: BoxOnLine, next: World['here']) {
  box.use(next)
  box.cut()
}

function die(box: BoxOnLine, next: World['here'], clock: World['clock']) {
  box.powerOff()
  box.use(next)
  clock.after(3_000, () => void box.powerOn())
}

/** The hub of the box is killed, and its connections end. */
function killed(box: BoxOnLine, hub: World['there']) {
  hub.kill()
  box.witnesses.push('hub killed')
  box.cut()
}

/** The box finds the other hub, or one that starts anew. */
async function killing(world: World, box: Box, act: () => Promise<string>): Promise<string> {
  const { here, there } = world
  const next = here === there ? await world.anotherHub() : here
  box.use(next)
  return act()
}

/** The clock of all hubs is set between the message and its PUBACK. */
async function clockSet(world: World, box: Box, byMs: number, pay: () => Promise<string>) {
  box.stall(true)
  const ftCode = await pay()
  world.clock.set(byMs)
  await world.pass(3_000)
  box.stall(false)
  await world.pass(3_000)
  return ftCode
}

/** What was missed is on the screen of a box that has one. From others the partner hears of it. Nothing stays unmarked. */
async function expectShown(world: World, box: Box) {
  const shown = box.linesOf('home').flatMap(({ lines }) => lines)
  const isShown = shown.some((line) => line.includes('50.000'))
  expect(isShown).toBe(box.linesOf('home').length > 0)
  expect((await world.events()).map(({ type }) => type)).toContain('announcement.missed')
  expect(await world.storage.outbox.missed(box.deviceId)).toBeUndefined()
}

/** Opens a world and lets a fault happen in it. */
export async function seen(kind: Kind, fault: Fault, options: Parameters<typeof openBoxWorld>[0] = {}) {
  const { latestMs: _, ...outcome } = await suffer(await openBoxWorld(options), kind, fault)
  return outcome
}

/** As `seen` has it. */
export function expected(kind: Kind, fault: Fault): Outcome {
  return { proof: undefined, reason: undefined, mayRepeat: undefined, ...EXPECTED[fault][kind] }
}
