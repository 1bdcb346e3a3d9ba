import { isSame } from '../security/vault.ts'

/** For how long a code can be used. */
export const CODE_VALID_MS = 5 * 60_000
/** The device must confirm within this time that the code is on its screen; only then is it issued. */
export const CODE_SHOWN_WITHIN_MS = 5_000
/** Codes per device and period. */
export const CODES_PER_PERIOD = 3
/** A period starts at its first issued code and is not moved by later ones. */
export const PERIOD_MS = 15 * 60_000

/** A presented code is compared with this many of the newest codes of its device: more than a few periods can issue. */
export const CODES_COMPARED = 10

/** A device's quota of codes. */
export interface CodeQuota {
  periodStartedAt: number
  issued: number
}

/** A code that was issued; only its keyed hash is kept. */
export interface IssuedCode {
  hash: Buffer
  clientId: string
  expiresAt: number
  state: 'outstanding' | 'replaced' | 'used' | 'burnt'
}

export type CodeVerdict =
  | 'right'
  /** Wrong: the outstanding code is burnt by it. */
  | 'wrong'
  | 'expired'
  | 'none'

/**
 * The quota that counts at `at`: a period that has run out counts nothing; nor does one that is still to begin, because
 * the clock was set back: it would last until the clock is there again.
 */
export function currentQuota(quota: CodeQuota | undefined, at: number): CodeQuota | undefined {
  if (!quota || at < quota.periodStartedAt) return undefined
  return at < quota.periodStartedAt + PERIOD_MS ? quota : undefined
}

/** The quota after one more code, or undefined when the period's codes are used up. */
export function countCode(quota: CodeQuota | undefined, at: number): CodeQuota | undefined {
  const current = currentQuota(quota, at)
  if (!current) return { periodStartedAt: at, issued: 1 }
  if (current.issued >= CODES_PER_PERIOD) return undefined
  return { ...current, issued: current.issued + 1 }
}

/**
 * Judges a presented code against the codes issued for one device and partner.
 * A code that was replaced or used is "none" and burns nothing: it is no guess. One that would be valid for longer
 * than any is from before the clock was set back: how old it is nobody knows, so it has expired.
 */
export function judgeCode(codes: readonly IssuedCode[], presentedHash: Buffer, at: number): CodeVerdict {
  const outstanding = codes.find((code) => code.state === 'outstanding')
  if (outstanding && !isValid(outstanding, at)) return 'expired'
  if (outstanding && isSame(outstanding.hash, presentedHash)) return 'right'
  const known = codes.some((code) => code.state !== 'outstanding' && isSame(code.hash, presentedHash))
  return outstanding && !known ? 'wrong' : 'none'
}

function isValid({ expiresAt }: IssuedCode, at: number): boolean {
  return at < expiresAt && expiresAt <= at + CODE_VALID_MS
}
