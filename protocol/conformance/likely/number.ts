/** How a number, or what stands in its place, came to differ from the one that was sent. Undefined if nobody knows. */
export function explainNumber(came: unknown, wanted: number): string | undefined {
  if (typeof came === 'string')
    return Number(came) === wanted ? 'it is a text: write it without quotes' : undefined
  if (typeof came !== 'number') return undefined
  return ROWS.find(([, from]) => from(wanted) === came && came !== wanted)?.[0]
}

type Row = readonly [says: string, from: (wanted: number) => number | undefined]

const KEEP = 'keep it as an unsigned integer of 32 bits (9.1)'
const cutTo = (bits: number): Row => [
  `it is cut to ${bits} bits: ${KEEP}`,
  (wanted) => (wanted >= 2 ** bits ? wanted % 2 ** bits : undefined),
]
const signedIn = (bits: number): Row => [
  `it is read as a signed integer of ${bits} bits: ${KEEP}`,
  (wanted) => (((wanted % 2 ** bits) + 2 ** bits) % 2 ** bits) - 2 ** bits,
]
const swappedIn = (bytes: number): Row => [
  `its ${bytes} bytes are in reverse order (endianness): write its digits, not its memory`,
  (wanted) => (wanted < 256 ** bytes ? reversed(wanted, bytes) : undefined),
]

const ROWS: readonly Row[] = [
  // 65,537 that comes as 1 is cut to 16 bits, though 8 would do.
  ...[32, 31, 24, 16, 8].map(cutTo),
  ...[8, 16, 32].map(signedIn),
  [`it stops at 2,147,483,647: ${KEEP}`, (wanted) => Math.min(wanted, 2 ** 31 - 1)],
  [`it was a float of 32 bits on the way, which has 24 bits for digits: ${KEEP}`, Math.fround],
  ...[4, 2, 3].map(swappedIn),
  ['it is in milliseconds: use seconds', (wanted) => wanted * 1_000],
  ['it is divided by 1,000: it is in seconds already', (wanted) => Math.floor(wanted / 1_000) || undefined],
  ['it is one too low', (wanted) => wanted - 1],
  ['it is one too high', (wanted) => wanted + 1],
]

function reversed(value: number, bytes: number): number {
  const memory = Buffer.alloc(bytes)
  memory.writeUIntLE(value, 0, bytes)
  return memory.readUIntBE(0, bytes)
}
