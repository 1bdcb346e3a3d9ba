import { z } from 'zod'

/** Text of a transcript. It will be shown: cut where no screen ends, and without what would steer a terminal. */
const text = (longest: number) =>
  z.string().transform((given) => given.slice(0, longest).replace(/\p{Cc}/gu, '\uFFFD'))

export const NAME = text(200)
/** Sentences, reasons, clips, and what stands in a QR. */
export const SENTENCE = text(2_000)
/** The payload of a packet, which has 2 KiB at most where both sides keep to the protocol. */
export const LONGEST_FRAME = 4_096
export const FRAME = text(LONGEST_FRAME)

/**
 * Whether two types have the same fields and take each other's values: what is read must be all that is written.
 * Optional fields would pass the second half alone.
 */
export type Same<A, B> = [A, keyof A] extends [B, keyof B]
  ? [B, keyof B] extends [A, keyof A]
    ? true
    : false
  : false
