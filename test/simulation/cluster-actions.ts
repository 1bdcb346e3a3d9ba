import { WAKE_KINDS } from '../../server/cluster/wakeups.ts'
import type { Cluster } from './hub/cluster.ts'
import type { Hub } from './hub/hub.ts'
import type { Dice } from './kit/dice.ts'
import { newPayment, pay } from './shop/pay.ts'
import type { World } from './world.ts'

const SECOND_MS = 1_000

/** What happens to several hubs on one storage. */
export const CLUSTER_ACTIONS: readonly {
  name: string
  weight: number
  act: (world: World, dice: Dice) => unknown
}[] = [
  { name: 'a hub stands still', weight: 8, act: onHub(freeze) },
  { name: 'a hub loses its storage', weight: 5, act: onHub(loseStorage) },
  {
    name: 'an outcome is unknown',
    weight: 5,
    act: onHub((hub, life, dice) => life.loseAnswers(hub, dice.between(1, 3))),
  },
  { name: 'forge wake-ups', weight: 4, act: forgeWakeups },
  { name: 'move a line', weight: 6, act: moveLine },
  { name: 'a line slips to another hub', weight: 8, act: slip },
  { name: 'a speaker is lost between two hubs', weight: 6, act: loseBetween },
  { name: 'pay at two hubs at once', weight: 8, act: payAtTwo },
  { name: 'a hub joins', weight: 3, act: join },
  {
    name: 'a hub leaves',
    weight: 3,
    act: onHub((hub, life, dice) => life.drain(hub, dice.between(50, 1_500))),
  },
]

/** For less time than the balancer takes to notice it, for longer, or until every device has given its line up. */
function freeze(hub: Hub, life: Cluster, dice: Dice) {
  const forMs = dice.pick([
    dice.between(100, 4_000),
    dice.between(6, 20) * SECOND_MS,
    dice.between(50, 150) * SECOND_MS,
  ])
  life.freeze(hub, forMs, dice.chance(0.7) ? dice.between(4_500, 6_000) : undefined)
}

function loseStorage(hub: Hub, life: Cluster, dice: Dice) {
  life.loseStorage(hub, dice.pick([dice.between(1, 500), dice.between(1, 15) * SECOND_MS]))
}

function forgeWakeups({ cluster, town }: World, dice: Dice) {
  for (let count = dice.between(1, 5); count > 0; count -= 1) {
    const hub = dice.pickAny(cluster?.hubs() ?? [])
    const deviceIds = town.speakers.filter(() => dice.chance(0.5)).map(({ deviceId }) => deviceId)
    if (hub) cluster?.forgeWakeup(hub, dice.pick(WAKE_KINDS), deviceIds)
  }
}

function moveLine({ cluster, speakers }: World, dice: Dice) {
  const speaker = dice.pickAny(speakers)
  const to = dice.pickAny(cluster?.hubs() ?? [])
  if (speaker && to) cluster?.lead(speaker.serial, to)
  speaker?.line()?.break()
}

/** A welcomed speaker, its hub, and another one. */
function drawPair({ cluster, speakers }: World, dice: Dice) {
  const speaker = dice.pickAny(speakers.filter((one) => one.wellSince() !== undefined))
  const here = speaker?.line()?.hub()
  const there = dice.pickAny((cluster?.hubs() ?? []).filter((hub) => hub !== here))
  return speaker && here && there && cluster ? { speaker, here, there, cluster } : undefined
}

/** The hub of a speaker takes payments for it, and does not know that it is elsewhere. */
async function slip(world: World, dice: Dice) {
  const pair = drawPair(world, dice)
  if (!pair) return
  const { speaker, here, there, cluster } = pair
  cluster.lead(speaker.serial, there)
  speaker.line()?.slip()
  await world.wind(6 * SECOND_MS, () => speaker.state()?.link.phase === 'welcomed')
  for (let count = dice.between(1, 3); count > 0; count -= 1) {
    pay(world, dice, speaker, dice.chance(0.7) ? here : there)
    await world.wind(dice.between(0, 3_000))
  }
}

/** Two hubs have sent an announcement to a speaker that is at neither, and its time runs out. */
async function loseBetween(world: World, dice: Dice) {
  const pair = drawPair(world, dice)
  if (!pair) return
  const { speaker, here, there, cluster } = pair
  pay(world, dice, speaker, here)
  await world.wind(dice.between(0, 20))
  cluster.lead(speaker.serial, there)
  speaker.line()?.slip()
  for (let count = dice.between(0, 2); count > 0; count -= 1) {
    await world.wind(dice.between(0, 300))
    pay(world, dice, speaker, dice.pick([here, there]))
  }
  await world.wind(8 * SECOND_MS, () => speaker.state()?.link.phase === 'welcomed')
  await world.wind(dice.between(0, 200))
  speaker.cutPower(200 * SECOND_MS)
  await world.wind(dice.between(110, 130) * SECOND_MS)
  speaker.switchOn()
}

/** The hub of an idle speaker takes a payment before it hears of one that another hub has taken. */
async function payAtTwo(world: World, dice: Dice) {
  const pair = drawPair(world, dice)
  if (!pair) return
  const { speaker, here, there } = pair
  const till = dice.pickAny(world.tills.filter(({ serials }) => serials.includes(speaker.serial)))
  const payAt = (hub: Hub) => {
    const entry = till && newPayment(world, dice, [till])
    if (entry) world.processor.report(entry, hub)
  }
  payAt(here)
  await world.wind(dice.between(4, 10) * SECOND_MS)
  payAt(there)
  await world.turn(dice.between(3, 10))
  payAt(here)
}

/** While payments come in. */
async function join(world: World, dice: Dice) {
  world.cluster?.join()
  for (let count = dice.between(0, 2); count > 0; count -= 1) {
    pay(world, dice)
    await world.wind(dice.between(0, 20))
  }
}

function onHub(act: (hub: Hub, life: Cluster, dice: Dice) => void) {
  return ({ cluster }: World, dice: Dice) => {
    const hub = dice.pickAny(cluster?.hubs() ?? [])
    if (cluster && hub) act(hub, cluster, dice)
  }
}
