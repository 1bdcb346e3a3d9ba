import { firmwareOf, type MintedBox } from './boxes/town-boxes.ts'
import { type Dice, diceFrom } from './kit/dice.ts'
import type { MintedSpeaker, Till, Town } from './shop/town.ts'

/** One at least that is at a till. The others are away for ever: small worlds are quick, and there are more of them. */
export function drawPresent({ tills, speakers }: Town, dice: Dice): MintedSpeaker[] {
  const first = dice.pickAny(tills.flatMap(({ serials }) => serials))
  return speakers.filter((one) => dice.chance(0.35) || one.serial === first)
}

/** One at least. Now and then one of them listens on the topic of another one. */
export function drawBoxes(seed: number, { boxes }: Town): { minted: MintedBox; topic: string | undefined }[] {
  const dice = diceFrom(seed, 'boxes there')
  const first = dice.pickAny(boxes)
  const present = boxes.filter((one) => dice.chance(0.4) || one === first)
  const other = dice.chance(0.2) ? dice.pickAny(boxes) : undefined
  return present.map((minted) => ({
    minted,
    topic: other?.kind === minted.kind ? firmwareOf(other).topic(other.config) : undefined,
  }))
}

export function drawConfig(dice: Dice) {
  return {
    rxBytes: dice.pick([330, 512, 1_024]),
    msPerClip: dice.between(40, 220),
  }
}

export function weighTills({ tills }: Town, present: readonly { serial: string }[]): Till[] {
  const isHeard = ({ serials }: Till) => present.some(({ serial }) => serials.includes(serial))
  return tills.flatMap((till) => (isHeard(till) ? [till, till, till, till] : [till]))
}
