import type { Shares } from '../model/shares.ts'

/**
 * Kinds of payments besides the plain one. `bill`: its callback has a bill number. `qr`: the bill's QR is shown before.
 * `repeat`: the processor sends the callback again after the 200. `wrong-checksum`: nobody knows the secret.
 */
export const KINDS = ['bill', 'qr', 'repeat', 'wrong-checksum'] as const
export type Kind = (typeof KINDS)[number]
export type Mix = Shares<Kind>

/** What became of the payments that are not plain. */
export interface MixTotals {
  /** Callbacks with a bill number. */
  bills: number
  /** QRs that were asked for, those that the hub refused, and those that no speaker showed within 10 s. */
  qrs: number
  qrsRefused: number
  qrsUnseen: number
  /** Callbacks sent again after a 200, and those that were not answered like the first. */
  repeats: number
  repeatsRefused: number
  /** Callbacks with a wrong checksum, and those that the hub answered with 200. */
  wrongChecksums: number
  wrongAccepted: number
}

export const NO_MIX: Readonly<MixTotals> = {
  ...{ bills: 0, qrs: 0, qrsRefused: 0, qrsUnseen: 0, repeats: 0, repeatsRefused: 0 },
  ...{ wrongChecksums: 0, wrongAccepted: 0 },
}
