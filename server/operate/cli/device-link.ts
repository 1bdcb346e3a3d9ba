import { renderUnicodeCompact } from 'uqr'
import type { MintedDevice } from '../../devices/mint-devices.ts'

/**
 * The link that makes a browser this speaker. A browser keeps what follows `#` to itself: no server, proxy or log gets the
 * key. Neither value needs escapes: a serial is letters, digits, `_` and `-`, and a key is base64url.
 */
export function speakerLink(base: string, { serial, key }: MintedDevice): string {
  return `${base}/speaker#serial=${serial}&key=${key}`
}

/** Addresses that mean the machine itself. */
const ITSELF = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Why a phone can't use a link; undefined when nothing is known against it. */
export function linkTrouble(link: string): string | undefined {
  const { protocol, hostname } = new URL(link)
  if (ITSELF.test(hostname))
    return `No other machine reaches ${hostname}: for a phone, give the address that phones reach, as --link https://hub.example.`
  if (protocol === 'http:')
    return 'A phone keeps no speaker over http: put a proxy with TLS in front of the hub, and give its https address.'
  return undefined
}

/** Light modules around the QR. Phones need two, and the QR of most links then has at most 23 rows. */
const QUIET = 2
/** White on black of the 256 colours: no theme changes them, and a phone reads the QR on a light terminal too. */
const COLOURS = '\u001b[38;5;231;48;5;16m'
const PLAIN = '\u001b[0m'

/** The QR of a text for a terminal, two modules a character. */
export function drawQr(text: string): string {
  const rows = renderUnicodeCompact(text, { ecc: 'L', border: QUIET }).split('\n')
  return rows.map((row) => `${COLOURS}${row}${PLAIN}`).join('\n')
}
