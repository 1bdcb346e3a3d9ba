import type { Dice } from './kit/dice.ts'
import { pay } from './shop/pay.ts'
import type { World } from './world.ts'

const SECOND_MS = 1_000

/**
 * Several payments at once, and the power or the line fails while some wait behind others: up to three times in a row,
 * sometimes for so long that what waited is no longer news, or only just.
 */
export async function failInQueue(world: World, dice: Dice) {
  const speaker = dice.pickAny(world.speakers)
  if (!speaker) return
  for (let times = dice.between(1, 3); times > 0; times -= 1) {
    speaker.cutPowerAtWrite(dice.between(1, 3))
    for (let count = dice.between(1, 4); count > 0; count -= 1) {
      pay(world, dice, speaker)
      await world.wind(dice.between(0, 1_500))
    }
    if (dice.chance(0.3)) speaker.line()?.break()
    await world.wind(dice.between(0, 15) * SECOND_MS)
    if (dice.chance(0.7)) speaker.cutPower()
    await world.wind(
      dice.pick([dice.between(0, 30), dice.between(95, 125), dice.between(125, 200)]) * SECOND_MS,
    )
    speaker.switchOn()
  }
}

/** Some wait until their time is nearly over. One is too late at its turn, and the power fails as the next one starts. */
export async function failBehindLate(world: World, dice: Dice) {
  const speaker = dice.pickAny(world.speakers)
  if (!speaker) return
  speaker.cutPower()
  for (let count = dice.between(3, 5); count > 0; count -= 1) pay(world, dice, speaker)
  await world.wind(dice.between(113, 118) * SECOND_MS)
  const fresh = pay(world, dice, speaker)?.money.amount
  speaker.switchOn()
  await world.wind(20 * SECOND_MS, () => {
    const sound = speaker.state()?.sounding?.sound
    return sound?.t === 'announce' && sound.body.amount === fresh
  })
  speaker.cutPower()
  await world.wind(dice.between(60, 200) * SECOND_MS)
  speaker.switchOn()
}

/** The line fails while some wait, and again right after the birth; what is said then is said without a connection. */
export async function failAfterBirth(world: World, dice: Dice) {
  const speaker = dice.pickAny(world.speakers)
  if (!speaker) return
  for (let count = dice.between(3, 5); count > 0; count -= 1) pay(world, dice, speaker)
  await world.wind(dice.between(300, 1_500))
  speaker.line()?.break()
  const phase = () => speaker.state()?.link.phase
  await world.wind(2 * SECOND_MS, () => phase() === 'offline')
  await world.wind(20 * SECOND_MS, () => phase() === 'born')
  await world.wind(dice.between(50, 400))
  speaker.line()?.goDead()
  await world.wind(dice.between(3, 15) * SECOND_MS)
  speaker.cutPower()
  await world.wind(dice.between(120, 200) * SECOND_MS)
  speaker.switchOn()
}
