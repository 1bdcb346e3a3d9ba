import type { Answer } from '../devices/answer.ts'

/** What a hub asks of a device that another hub has. Plain data. */
export type Message =
  /** `expiresAt` is of the code. */
  { kind: 'showCode'; code: string; expiresAt: number } | { kind: 'clearCode' } | { kind: 'identify' }

/** Carries a message out on a device of this hub. `offline` when this hub does not have the device. */
export type CarryOut = (deviceId: string, message: Message, withinMs: number) => Promise<Answer>

/** Messages between hubs that need an answer. */
export interface Messages {
  /**
   * Asks the hub that has the device, and waits for its answer. Messages for one device arrive in the order of the calls.
   *  - `offline`: no other hub that runs has the device.
   *  - `not_responding`: there was no answer within this time.
   */
  ask(deviceId: string, message: Message, withinMs: number): Promise<Answer>
  /** Carries out what other hubs ask for. The returned function ends it. */
  serve(carryOut: CarryOut): () => void
}

/** There is no other hub. */
export const NO_MESSAGES: Messages = {
  ask: async () => ({ kind: 'offline' }),
  serve: () => () => undefined,
}
