/** Fewer distinct bytes, or steps from byte to byte, than a random key has. */
const FEWEST_DISTINCT = 19
const KEY_BYTES = 32
const MAKE_ONE = 'openssl rand -base64 32 prints one'

/**
 * Reads a master key: 32 random bytes in canonical base64, so that a key has one spelling. Returns what is wrong
 * otherwise.
 *
 * A key that a person has made up is refused: few distinct bytes (a repeated byte or word), few distinct steps (a
 * sequence) or all ASCII (a text). Of random keys fewer than one in a billion is refused: 5e-12 have fewer than 19
 * distinct bytes, 5e-11 fewer than 19 distinct steps, 3e-10 only ASCII.
 */
export function readMasterKey(text: string): Buffer | string {
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text)
    return `must be ${KEY_BYTES} bytes in base64 (${MAKE_ONE})`
  const steps = [...key].map((byte, index) => (byte - (key[index - 1] ?? 0)) & 0xff).slice(1)
  const isPattern = [[...key], steps].some((bytes) => new Set(bytes).size < FEWEST_DISTINCT)
  if (isPattern || key.every((byte) => byte < 0x80))
    return `must be ${KEY_BYTES} random bytes, and these are a pattern or a text (${MAKE_ONE})`
  return key
}
