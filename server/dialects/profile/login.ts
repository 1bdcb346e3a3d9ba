import { hmac, sha256 } from '../../security/digest.ts'
import { wireIdOf } from './names.ts'
import type { Profile } from './schema.ts'

/** The timestamp that Alibaba's SDKs sign when a device has no clock. Every box of this heritage has it fixed. */
const FIXED_TIMESTAMP = '2524608000000'

export interface LoginSource {
  serial: string
  /** A password that was minted, or that is in the box already. */
  given?: string | undefined
  /** Instead of the profile's. */
  productKey?: string | undefined
  /** What the maker's formula needs: MoreFun's product secret, or Alink's secret of the device. */
  secret?: string | undefined
}

/** The password that a box will log in with. `refused` is a sentence for the operator. */
export function expectedPassword(
  profile: Profile,
  source: LoginSource,
): { password: string } | { refused: string } {
  const found = passwordOf(profile, source)
  const { maxBytes } = profile.login
  if ('refused' in found || maxBytes === undefined) return found
  const wireId = wireIdOf(profile, source.serial)
  if (wireId.length > maxBytes)
    return {
      refused: `The box keeps ${maxBytes} bytes of a client id, and ${wireId} is longer. Choose a shorter serial.`,
    }
  if (Buffer.byteLength(found.password) > maxBytes)
    return { refused: `The box keeps ${maxBytes} bytes of a password. Choose a shorter password.` }
  return found
}

function passwordOf(
  profile: Profile,
  { serial, given, productKey = profile.productKey, secret }: LoginSource,
) {
  const { password } = profile.login
  if (typeof password === 'object' && secret) {
    if (productKey === undefined)
      return { refused: 'Add productKey to the profile: the password depends on it.' }
    const signed = hmac(secret, signedText(password.hmac, serial, productKey))
    return { password: signed.toString('hex').toUpperCase() }
  }
  // Whatever the profile says, the operator knows what is in the box.
  if (given) return { password: given }
  if (password === 'serial') return { password: serial }
  return typeof password === 'object'
    ? { refused: "Give the secret that the maker's formula needs." }
    : { refused: 'Give the password that the box has.' }
}

function signedText(formula: 'morefun' | 'alink', serial: string, productKey: string): string {
  switch (formula) {
    case 'morefun':
      // The braces are part of the text.
      return `clientId{${serial}}.{${serial}}${serial}${productKey}${FIXED_TIMESTAMP}`
    case 'alink':
      return `clientId${productKey}.${serial}deviceName${serial}productKey${productKey}timestamp${FIXED_TIMESTAMP}`
  }
}

/** What the storage keeps instead of the password. */
export function boxLoginHash(password: string): Buffer {
  return sha256(password)
}

/** `weak`: the login does not prove which box it is. */
export function identityOf({ login }: Profile): 'device' | 'weak' {
  const { password, shared = false } = login
  const isProductWide = typeof password === 'object' && password.hmac === 'morefun'
  return shared || isProductWide || password === 'serial' ? 'weak' : 'device'
}
