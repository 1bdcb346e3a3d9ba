import { isSame } from '../security/vault.ts'

/** The lifetime of a code. */
export const CODE_VALID_MS = 5 * 60_000
/** How long the device has to confirm that it shows the code; only then is the code issued. */
export const CODE_SHOWN_WITHIN_MS = 5_000
/** Codes per partner, device and period. */
export const CODES_PER_PERIOD = 3
/** Codes that a device shows within any time of a period's length, for all partners together. */
export const CODES_PER_DEVICE = 9
/** The length of a period. It starts at the partner's first issued code; later codes do not move it. */
export const PERIOD_MS = 15 * 60_000

/** A presented code is compared with this many of the newest codes of its device: more than a few periods can issue. */
export const CODES_COMPARED = 10

/** A partner's quota of codes for a device. */
export interface CodeQuota {
  periodStartedAt: number
  issued: number
}

/** What decides whether a partner gets one more code for a device. */
export interface CodesBefore {
  own: CodeQuota | undefined
  /** When the device's newest codes were issued, for all partners: at most CODES_PER_DEVICE, newest first. */
  newest: readonly number[]
}

/** An issued code; only its keyed hash is stored. */
export interface IssuedCode {
  hash: Buffer
  clientId: string
  expiresAt: number
  state: 'outstanding' | 'replaced' | 'used' | 'burnt'
}

export type CodeVerdict =
  | 'right'
  /** A wrong guess: it burns the outstanding code. */
  | 'wrong'
  | 'expired'
  | 'none'

/**
 * The quota of the period at `at`; undefined when the period is over. A period in the future is void, too: the clock was
 * set back, and the period would last until the clock reaches it again.
 */
export function currentQuota(quota: CodeQuota | undefined, at: number): CodeQuota | undefined {
  if (!quota || at < quota.periodStartedAt) return undefined
  return at < quota.periodStartedAt + PERIOD_MS ? quota : undefined
}

/** The partner's quota after one more code; undefined when its period's codes, or those of the device, are used up. */
export function countCode({ own, newest }: CodesBefore, at: number): CodeQuota | undefined {
  if (freeAgainAt({ own, newest }, at) > at) return undefined
  const current = currentQuota(own, at)
  return current ? { ...current, issued: current.issued + 1 } : { periodStartedAt: at, issued: 1 }
}

/** When the partner may have one more code; `at` when it may now. Codes in the future do not count, as periods. */
export function freeAgainAt({ own, newest }: CodesBefore, at: number): number {
  const current = currentQuota(own, at)
  const usedUp = current && current.issued >= CODES_PER_PERIOD
  const ninth = newest.filter((issuedAt) => issuedAt <= at)[CODES_PER_DEVICE - 1] ?? Number.NEGATIVE_INFINITY
  return Math.max(at, usedUp ? current.periodStartedAt + PERIOD_MS : at, ninth + PERIOD_MS)
}

/**
 * Compares a presented code, as its hash under each master key, with the codes that were issued for one device and
 * partner. A replaced or used code is no guess: the verdict is "none", and no code is burnt. A code that is valid for
 * longer than CODE_VALID_MS was issued before the clock was set back. Its age is unknown, so it has expired.
 */
export function judgeCode(
  codes: readonly IssuedCode[],
  presentedHashes: readonly Buffer[],
  at: number,
): CodeVerdict {
  const isPresented = ({ hash }: IssuedCode) => presentedHashes.some((one) => isSame(hash, one))
  const outstanding = codes.find((code) => code.state === 'outstanding')
  if (outstanding && !isValid(outstanding, at)) return 'expired'
  if (outstanding && isPresented(outstanding)) return 'right'
  const known = codes.some((code) => code.state !== 'outstanding' && isPresented(code))
  return outstanding && !known ? 'wrong' : 'none'
}

function isValid({ expiresAt }: IssuedCode, at: number): boolean {
  return at < expiresAt && expiresAt <= at + CODE_VALID_MS
}
