import { sb1 } from '../../server/dialects/sb1/index.ts'
import { byPartner } from '../../server/security/actor.ts'
import { OPERATOR } from '../support/actors.ts'
import { BOX_ACTIONS } from './boxes/actions.ts'
import { CLUSTER_ACTIONS } from './cluster-actions.ts'
import type { Hub } from './hub/hub.ts'
import type { Kind } from './kind.ts'
import { type Dice, diceFrom } from './kit/dice.ts'
import { failAfterBirth, failBehindLate, failInQueue } from './power-cuts.ts'
import { newPayment, pay } from './shop/pay.ts'
import type { Till } from './shop/town.ts'
import { connectTwice, knock, misbehave } from './speaker/rogue.ts'
import type { SimulatedSpeaker } from './speaker/speaker.ts'
import { WEBHOOK_ACTIONS } from './webhook-actions.ts'
import type { World } from './world.ts'

/** One thing that may happen; undefined when it can't happen now. */
type Action = (world: World, dice: Dice) => unknown

const SECOND_MS = 1_000

/** Everything that may happen in a world, with how often. */
export const ACTIONS: readonly { name: string; weight: number; act: Action }[] = [
  { name: 'pay', weight: 16, act: (world, dice) => pay(world, dice) },
  { name: 'pay twice at once', weight: 3, act: payAtOnce },
  { name: 'make a bill', weight: 5, act: makeBill },
  { name: 'report again', weight: 4, act: reportAgain },
  { name: 'contradict', weight: 1, act: contradict },
  { name: 'forge', weight: 1, act: forge },
  { name: 'trespass', weight: 1, act: trespass },

  { name: 'a moment passes', weight: 12, act: (world, dice) => world.wind(dice.between(1, 400)) },
  { name: 'seconds pass', weight: 12, act: (world, dice) => world.wind(dice.between(1, 8) * SECOND_MS) },
  { name: 'a while passes', weight: 3, act: (world, dice) => world.wind(dice.between(10, 40) * SECOND_MS) },
  { name: 'minutes pass', weight: 3, act: (world, dice) => world.wind(dice.between(60, 200) * SECOND_MS) },

  { name: 'break a line', weight: 5, act: onSpeaker((one) => one.line()?.break()) },
  { name: 'a line goes dead', weight: 4, act: onSpeaker((one) => one.line()?.goDead()) },
  { name: 'cut the power', weight: 6, act: cutPower },
  { name: 'cut the power at a write', weight: 4, act: onSpeaker((one) => one.cutPowerAtWrite(1)) },
  { name: 'power fails in a queue', weight: 4, act: failInQueue },
  { name: 'power fails behind what is late', weight: 3, act: failBehindLate },
  { name: 'line and power fail after a birth', weight: 3, act: failAfterBirth },
  { name: 'switch on', weight: 5, act: onSpeaker((one) => one.switchOn()) },
  { name: 'forget', weight: 4, act: forget },

  { name: 'fall silent', weight: 2, act: fallSilent },
  { name: 'stop reading', weight: 6, act: stopReading },
  { name: 'misbehave', weight: 3, act: misbehaving },
  { name: 'connect twice', weight: 2, act: (world, dice) => rogue(world, dice, connectTwice) },
  { name: 'knock', weight: 4, act: knocking },

  { name: 'kill the hub', weight: 3, act: (world, dice) => world.life.kill(downMs(dice)) },
  { name: 'kill the hub at a commit', weight: 5, act: killAtCommit },
  { name: 'set the clock', weight: 6, act: setClock },
  { name: 'back up', weight: 6, act: backUp },
  { name: 'restore', weight: 8, act: restore },

  { name: 'rotate a key', weight: 8, act: rotateKey },
  { name: 'rotate a key twice', weight: 2, act: rotateTwice },

  { name: 'lock', weight: 4, act: setActive },
  { name: 'unregister', weight: 2, act: unregister },
  { name: 'register', weight: 3, act: register },
]

/** What may happen in worlds of this kind. */
export function actionsOf({
  hubs,
  amnesia,
  restores,
  clockSteps,
  rotations,
  webhooks,
  boxes,
}: Kind): typeof ACTIONS {
  const possible = ACTIONS.filter(
    ({ act }) =>
      (act !== forget || amnesia) &&
      ((act !== backUp && act !== restore) || restores) &&
      (act !== setClock || clockSteps) &&
      ((act !== rotateKey && act !== rotateTwice) || rotations),
  )
  return [
    ...possible,
    ...(hubs > 1 ? CLUSTER_ACTIONS : []),
    ...(webhooks ? WEBHOOK_ACTIONS : []),
    ...(boxes ? BOX_ACTIONS : []),
  ]
}

function payAtOnce(world: World, dice: Dice) {
  const entry = newPayment(world, dice)
  if (!entry) return
  for (let count = dice.between(2, 4); count > 0; count -= 1) world.processor.report(entry)
}

function makeBill({ life, books, bills, tills }: World, dice: Dice) {
  const hub = life.hub()
  const till = dice.pickAny(tills)
  const index = hub && till && books.nextIndex()
  if (!hub || !till || index === undefined) return
  const billNumber = `BILL-${index}`
  bills.push({ till, index, billNumber })
  const { partner, storeId, storeName } = till
  const request = {
    storeId,
    billNumber,
    transactionAmount: String(2 ** index),
    // Some fit no buffer.
    qrcode: `QR ${storeName} ${index} ${'0'.repeat(dice.pick([0, 300]))}`,
  }
  unheard(hub.core.verbs.createDynamicQr(partner.clientId, request))
}

function reportAgain({ books, processor }: World, dice: Dice) {
  const entry = dice.pickAny(books.entries)
  if (entry) processor.report(entry)
}

/** Of a payment that is known: else it would be the first to tell of it. */
function contradict({ books, processor }: World, dice: Dice) {
  const entry = dice.pickAny(books.entries.filter(({ answer }) => answer))
  if (entry) processor.contradict(entry)
}

function forge({ books, processor }: World, dice: Dice) {
  const entry = dice.pickAny(books.entries)
  if (entry) processor.forge(entry)
}

function trespass({ books, processor, town }: World, dice: Dice) {
  const entry = dice.pickAny(books.entries)
  const intruder = town.partners.find(({ clientId }) => clientId !== entry?.money.till.partner.clientId)
  const hasSuchTerminal = (till: Till) =>
    till.partner === intruder && till.terminalID === entry?.money.till.terminalID
  if (entry && intruder && !town.tills.some(hasSuchTerminal)) processor.trespass(entry, intruder)
}

function cutPower(world: World, dice: Dice) {
  const speaker = dice.pickAny(world.speakers)
  if (!speaker) return
  speaker.cutPower()
  // Sometimes for so long that what came meanwhile is no longer news.
  const offS = dice.chance(0.6) ? dice.between(0, 30) : dice.between(60, 200)
  world.after(offS * SECOND_MS, () => speaker.switchOn())
}

function forget(world: World, dice: Dice) {
  dice.pickAny(world.speakers)?.forget()
}

/** For less time than the hub grants a slow reader, or for more. */
function stopReading(world: World, dice: Dice) {
  const stallMs = dice.chance(0.5) ? dice.between(1, 9) : dice.between(11, 60)
  const speaker = dice.pickAny(world.speakers)
  if (!speaker) return
  speaker.line()?.stall(stallMs * SECOND_MS)
  const itsTills = world.tills.filter(({ serials }) => serials.includes(speaker.serial))
  const entry = newPayment(world, dice, itsTills)
  if (entry) world.processor.report(entry)
}

/** Without a sign, for longer than two and a half keepalives (sb/1 8.2); the broker notices nothing meanwhile. */
async function fallSilent(world: World, dice: Dice) {
  const speaker = dice.pickAny(world.speakers)
  const silentMs = dice.between(80, 150) * SECOND_MS
  speaker?.cutPower(2 * silentMs)
  await world.wind(silentMs)
  world.after(dice.between(1, 60) * SECOND_MS, () => speaker?.switchOn())
}

function misbehaving(world: World, dice: Dice) {
  return rogue(world, dice, misbehave)
}

function knocking(world: World, dice: Dice) {
  return rogue(world, dice, knock)
}

function rogue({ life, town, speakers, clock, oracle }: World, dice: Dice, act: typeof misbehave) {
  const present = town.speakers.filter(({ serial }) => speakers.some((one) => one.serial === serial))
  const speaker = dice.pickAny(present)
  const hub = life.hub()
  if (speaker && hub) unheard(act({ hub, clock, dice, watch: oracle.gate, speaker }))
}

/** Far enough for the hub to notice, forward or back. */
function setClock(world: World, dice: Dice) {
  world.setClock((dice.chance(0.5) ? 1 : -1) * dice.between(6, dice.pick([20, 90, 600])) * SECOND_MS)
}

function killAtCommit({ life }: World, dice: Dice) {
  life.killAfterCommits(dice.between(1, 8), downMs(dice))
}

function backUp({ backups }: World) {
  backups?.backUp()
}

/** The hub is down for so long that every speaker has said what waits in it. */
function restore({ backups }: World, dice: Dice) {
  backups?.restore(dice.between(60, 100) * SECOND_MS)
}

function setActive({ life, town, speakers }: World, dice: Dice) {
  const partner = dice.pickAny(town.partners)
  const speaker = dice.pickAny(speakers)
  const hub = life.hub()
  if (!partner || !speaker || !hub) return
  // Unlocked more often than locked: a locked speaker has nothing to say.
  unheard(
    hub.core.verbs.updateStatus(byPartner(partner.clientId), [
      { serial: speaker.serial, active: dice.chance(0.6) },
    ]),
  )
}

function unregister({ life, town, speakers }: World, dice: Dice) {
  const partner = dice.pickAny(town.partners)
  const speaker = dice.pickAny(speakers)
  const hub = life.hub()
  if (partner && speaker && hub)
    unheard(hub.core.verbs.unregister(byPartner(partner.clientId), speaker.serial))
}

/** The hub that a speaker is connected to, or any. */
function hubOf(speaker: SimulatedSpeaker | undefined, life: World['life']): Hub | undefined {
  const hub = speaker?.line()?.hub()
  return hub?.isAlive() ? hub : life.hub()
}

/** As a partner does it: the code is read off the speaker's screen. */
function register({ life, town, speakers }: World, dice: Dice) {
  const till = dice.pickAny(town.tills)
  const speaker = dice.pickAny(speakers)
  const hub = hubOf(speaker, life)
  if (!till || !speaker || !hub) return
  const { clientId } = till.partner
  const { serial } = speaker
  const registered = hub.core.verbs.sendVerification(clientId, serial).then(() => {
    const verificationCode = speaker.state()?.code?.code ?? ''
    const store = { terminalID: till.terminalID }
    return hub.core.verbs.register(clientId, {
      ...{ serial, verificationCode, store, phoneNumber: '0912345678', rmCode: undefined },
    })
  })
  unheard(registered)
}

/** By the command line: the hub that runs learns of it, or the next one does. */
function rotateKey({ life, speakers, clock }: World, dice: Dice) {
  const speaker = dice.pickAny(speakers)
  const hub = hubOf(speaker, life)
  if (!speaker || !hub) return
  const key = Buffer.from(dice.hex(64), 'hex')
  const { maintenance, devices } = hub.storage
  const next = { key, loginHash: sb1.loginHash(key) }
  const isToldLate = dice.chance(0.3)
  // Its birth may be under way, under a key that is replaced now (sb/1 2.9).
  const replaced = () => {
    if (speaker.state()?.link.phase !== 'welcomed') speaker.line()?.mayBeClosed()
  }
  replaced()
  const rotated = maintenance.rotate(OPERATOR, speaker.serial, next, clock.now()).then(async () => {
    replaced()
    const known = await devices.credentials(speaker.serial)
    if (isToldLate || !known || !hub.isAlive()) return
    for (const due of await maintenance.due([known.deviceId])) hub.core.delivery.maintain(due)
  })
  unheard(rotated)
}

/** Before the speaker has confirmed the first one, most of the time. */
function rotateTwice(world: World, dice: Dice) {
  const delayMs = dice.between(0, 3_000)
  const second = diceFrom(dice.between(0, 1_000_000_000), 'second')
  rotateKey(world, dice)
  world.after(delayMs, () => rotateKey({ ...world, speakers: world.speakers.slice(0, 1) }, second))
}

/** Whoever asked looks at what has become of it, not at the answer. */
function unheard(work: Promise<unknown>) {
  work.catch(() => undefined)
}

function onSpeaker(act: (speaker: SimulatedSpeaker) => void): Action {
  return ({ speakers }, dice) => {
    const speaker = dice.pickAny(speakers)
    if (speaker) act(speaker)
  }
}

function downMs(dice: Dice): number {
  return dice.chance(0.8) ? dice.between(0, 4_000) : dice.between(5, 60) * SECOND_MS
}
