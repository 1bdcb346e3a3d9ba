import type { Dice } from '../kit/dice.ts'

/** How the network behaves at the moment. */
export interface Weather {
  /** Nothing is lost or doubled, and nothing takes long. */
  calm: boolean
}

/** On a line whose messages all come within this, a command and its acks are done within a second. */
export const PROMPT_MS = 150

/** What the network does with one message. */
export interface Passage {
  delayMs: number
  lost: boolean
  doubled: boolean
}

/** Mostly a few milliseconds; now and then so late that the hub has sent the same again meanwhile (sb/1 7.3). */
export function drawPassage(dice: Dice, { calm }: Weather): Passage {
  const prompt = { delayMs: dice.between(5, PROMPT_MS), lost: false, doubled: false }
  if (calm) return prompt
  const fate = dice.fraction()
  if (fate < 0.03) return { ...prompt, delayMs: dice.between(2_500, 9_000) }
  if (fate < 0.1) return { ...prompt, delayMs: dice.between(PROMPT_MS, 2_500) }
  if (fate < 0.13) return { ...prompt, lost: true }
  if (fate < 0.16) return { ...prompt, doubled: true }
  return prompt
}
