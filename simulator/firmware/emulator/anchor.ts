import { X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Where the bytes are in the first page of flash. */
export const ANCHOR_AT = 256
const [P256, RSA] = [1, 2]

/**
 * The certificate authority of a hub, as the factory writes it into a device: `protocol/examples/c/mcu/anchor.h` has the
 * layout. Throws for a key that the firmware can't use.
 */
export function anchorBytes(pem: string): Buffer {
  const certificate = new X509Certificate(pem)
  const name = subjectOf(certificate.raw)
  const { type, key } = keyOf(certificate)
  const head = Buffer.from([...Buffer.from('SB1A'), 1, type, 0, 0, 0, 0])
  head.writeUInt16LE(name.length, 6)
  head.writeUInt16LE(key.length, 8)
  const covered = Buffer.concat([head, name, key])
  const end = Buffer.alloc(4)
  end.writeUInt32LE(crc32(covered))
  return Buffer.concat([covered, end])
}

function keyOf({ publicKey }: X509Certificate): { type: number; key: Buffer } {
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' })
  const bytes = (text = '') => Buffer.from(text, 'base64url')
  if (kty === 'EC' && crv === 'P-256')
    return { type: P256, key: Buffer.concat([Buffer.of(4), bytes(x), bytes(y)]) }
  const modulus = bytes(n)
  if (kty === 'RSA' && e === 'AQAB' && modulus.length >= 256 && modulus.length <= 512)
    return { type: RSA, key: modulus }
  throw new Error(
    'the key of the authority must be P-256, or RSA of 2,048 to 4,096 bits with the exponent 65537',
  )
}

/** The subject of a certificate, in DER (RFC 5280, 4.1). */
function subjectOf(certificate: Buffer): Buffer {
  let at = contentAt(certificate, contentAt(certificate, 0))
  // An optional version, then serial number, algorithm, issuer and validity.
  const before = certificate[at] === 0xa0 ? 5 : 4
  for (let field = 0; field < before; field += 1) at = endAt(certificate, at)
  return certificate.subarray(at, endAt(certificate, at))
}

/** Where the content of the element at `at` begins. */
function contentAt(der: Buffer, at: number): number {
  const length = der.readUInt8(at + 1)
  return at + 2 + (length < 0x80 ? 0 : length - 0x80)
}

function endAt(der: Buffer, at: number): number {
  const content = contentAt(der, at)
  const length = der.readUInt8(at + 1)
  return content + (length < 0x80 ? length : der.readUIntBE(at + 2, length - 0x80))
}
