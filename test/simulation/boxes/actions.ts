import { byPartner } from '../../../server/security/actor.ts'
import type { BoxFault } from '../../../simulator/boxes/core/faults.ts'
import type { Dice } from '../kit/dice.ts'
import { newPayment } from '../shop/pay.ts'
import type { World } from '../world.ts'
import type { SimulatedBox } from './box.ts'

const SECOND_MS = 1_000

/** What happens to boxes of other makers. */
export const BOX_ACTIONS: readonly {
  name: string
  weight: number
  act: (world: World, dice: Dice) => unknown
}[] = [
  { name: 'pay at a box', weight: 14, act: onBox(payAt) },
  { name: 'a box has a queue', weight: 6, act: onBox(failInQueue) },
  { name: 'break the line of a box', weight: 4, act: onBox((_world, _dice, box) => box.line()?.break()) },
  { name: 'the line of a box goes dead', weight: 4, act: onBox(goDead) },
  { name: 'the line of a box stalls', weight: 8, act: onBox(stall) },
  { name: 'PUBACKs of a box are lost', weight: 8, act: onBox(loseConfirms) },
  { name: 'cut the power of a box', weight: 4, act: onBox(cutPower) },
  { name: 'a box dies with a PUBACK under way', weight: 6, act: onBox(dieAfterSound) },
  { name: 'a box has a fault', weight: 6, act: onBox(breakBox) },
  { name: 'a box waits for long', weight: 4, act: onBox(waitForLong) },
  { name: 'set the clock while a box is told', weight: 6, act: onBox(setClock) },
  { name: 'key an amount in', weight: 5, act: onBox(keyIn) },
  { name: 'lock a box', weight: 4, act: onBox(lock) },
  { name: 'release a box', weight: 2, act: onBox(release) },
  { name: 'register a box', weight: 3, act: onBox(register) },
  { name: 'switch a box on', weight: 4, act: onBox((_world, _dice, box) => box.switchOn()) },
]

/** At a till of the box. Some calls of the processor come twice at once. */
function payAt(world: World, dice: Dice, { serial }: SimulatedBox) {
  const tills = world.tills.filter(({ serials }) => serials.includes(serial))
  const entry = newPayment(world, dice, tills)
  if (!entry) return
  for (let count = dice.chance(0.2) ? 2 : 1; count > 0; count -= 1) world.processor.report(entry)
}

/** Several wait, and the line or the power fails while one is said. */
async function failInQueue(world: World, dice: Dice, box: SimulatedBox) {
  for (let count = dice.between(2, 4); count > 0; count -= 1) {
    payAt(world, dice, box)
    await world.wind(dice.between(0, 800))
  }
  await world.wind(dice.between(0, 30) * SECOND_MS)
  if (dice.chance(0.5)) box.line()?.break()
  else cutPower(world, dice, box)
}

function goDead(world: World, dice: Dice, box: SimulatedBox) {
  box.line()?.goDead()
  payAt(world, dice, box)
}

/** For less time than the hub waits for a PUBACK, or for more; before a payment or right behind it. */
async function stall(world: World, dice: Dice, box: SimulatedBox) {
  const ms = dice.pick([dice.between(1, 9), dice.between(11, 60), dice.between(100, 150)]) * SECOND_MS
  if (dice.chance(0.5)) {
    payAt(world, dice, box)
    await world.wind(dice.between(0, 400))
  }
  box.line()?.stall(ms)
  payAt(world, dice, box)
}

async function loseConfirms(world: World, dice: Dice, box: SimulatedBox) {
  for (let times = dice.between(1, 3); times > 0; times -= 1) {
    box.line()?.loseConfirms(dice.between(1, 2))
    payAt(world, dice, box)
    await world.wind(dice.between(8, 25) * SECOND_MS)
  }
}

function cutPower(world: World, dice: Dice, box: SimulatedBox) {
  box.cutPower()
  // Sometimes for so long that what came meanwhile is no longer news.
  const offS = dice.chance(0.6) ? dice.between(0, 30) : dice.between(60, 200)
  world.after(offS * SECOND_MS, () => box.switchOn())
}

/** The line or the power fails while the box says something that it has confirmed, or is about to confirm. */
async function dieAfterSound(world: World, dice: Dice, box: SimulatedBox) {
  payAt(world, dice, box)
  await world.wind(20 * SECOND_MS, () => box.state()?.playing !== undefined)
  await world.wind(dice.between(0, 600))
  const fails = dice.pick(['line', 'hub', 'power', 'power'])
  if (fails === 'line') return box.line()?.break()
  if (fails === 'hub') return world.life.kill(dice.between(0, 4_000))
  box.cutPower()
  world.after(dice.between(0, 20) * SECOND_MS, () => box.switchOn())
}

function breakBox(world: World, dice: Dice, box: SimulatedBox) {
  const fault = dice.pick<BoxFault>(['no-puback', 'dies-before-reply', 'stray-reply'])
  box.setFault(fault, true)
  payAt(world, dice, box)
  world.after(dice.between(5, 90) * SECOND_MS, () => box.setFault(fault, false))
}

/** The box comes back as the time of a payment is nearly over, or just over. */
async function waitForLong(world: World, dice: Dice, box: SimulatedBox) {
  box.cutPower()
  for (let count = dice.between(1, 3); count > 0; count -= 1) payAt(world, dice, box)
  await world.wind(dice.between(105, 125) * SECOND_MS)
  box.switchOn()
  await world.wind(dice.between(1, 15) * SECOND_MS)
}

/** What is under way to the box, or is said by it, must not begin anew. */
async function setClock(world: World, dice: Dice, box: SimulatedBox) {
  if (dice.chance(0.5)) box.line()?.loseConfirms(1)
  payAt(world, dice, box)
  await world.wind(dice.between(0, 1_500))
  if (world.kind.clockSteps)
    world.setClock((dice.chance(0.5) ? 1 : -1) * dice.between(6, dice.pick([20, 600, 3_600])) * SECOND_MS)
  await world.wind(dice.between(1, 12) * SECOND_MS)
}

/** On the keypad of a hemipay box. A bill that the hub makes of it may be paid. */
async function keyIn(world: World, dice: Dice, box: SimulatedBox) {
  const till = world.tills.find(({ serials }) => serials.includes(box.serial))
  const index = box.kind === 'hemipay' && till ? world.books.nextIndex() : undefined
  if (index === undefined || !till) return
  box.press(['clear', ...String(2 ** index), 'enter'])
  await world.wind(dice.between(1, 12) * SECOND_MS)
  const screen = box.state()?.screen
  if (screen?.screen !== 'qr' || !screen.bill.startsWith('K')) return
  const { bill: billNumber } = screen
  if (screen.amount === String(2 ** index)) world.bills.push({ till, index, billNumber })
}

/** Unlocked more often than locked: a locked box has nothing to say. */
function lock({ life, town }: World, dice: Dice, { serial }: SimulatedBox) {
  for (const { clientId } of town.partners)
    unheard(life.hub()?.core.verbs.updateStatus(byPartner(clientId), [{ serial, active: dice.chance(0.6) }]))
}

function release({ life, town }: World, dice: Dice, { serial }: SimulatedBox) {
  const partner = dice.pickAny(town.partners)
  if (partner) unheard(life.hub()?.core.verbs.unregister(byPartner(partner.clientId), serial))
}

/** As a partner does it: the code is read off the screen, or heard. */
function register({ life, town }: World, dice: Dice, box: SimulatedBox) {
  const till = dice.pickAny(town.tills)
  const line = box.line()?.hub()
  const hub = line?.isAlive() ? line : life.hub()
  if (!till || !hub) return
  const { clientId } = till.partner
  const { serial } = box
  const registered = hub.core.verbs.sendVerification(clientId, serial).then(() => {
    const store = { terminalID: till.terminalID }
    return hub.core.verbs.register(clientId, {
      ...{ serial, verificationCode: box.code(), store, phoneNumber: '0912345678', rmCode: undefined },
    })
  })
  unheard(registered)
}

/** Whoever asked looks at what has become of it, not at the answer. */
function unheard(work: Promise<unknown> | undefined) {
  work?.catch(() => undefined)
}

function onBox(act: (world: World, dice: Dice, box: SimulatedBox) => unknown) {
  return (world: World, dice: Dice) => {
    const box = dice.pickAny(world.boxes)
    return box && act(world, dice, box)
  }
}
