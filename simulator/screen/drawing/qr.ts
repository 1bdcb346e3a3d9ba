import { encode } from 'uqr'
import { halfBlock } from './half-block.ts'

/** A QR code's modules, dark ones true, without a quiet zone. */
export type QrMatrix = readonly (readonly boolean[])[]

/**
 * Encodes at the lowest error correction: a screen has no dirt or tears, and a smaller QR fits more terminals. Phones
 * read it equally well.
 */
export function encodeQr(text: string): QrMatrix {
  return encode(text, { ecc: 'L', border: 0 }).data
}

/**
 * Draws two modules per character cell, one above the other, so that modules are square. `glyphs` says which modules
 * are drawn as ink: the dark ones on light terminals, the light ones on dark terminals.
 */
export function drawQr(matrix: QrMatrix, quiet: number, glyphs: 'dark' | 'light'): string[] {
  const size = matrix.length + 2 * quiet
  const dark = (x: number, y: number) => matrix[y - quiet]?.[x - quiet] === true
  const inked = (x: number, y: number) => y < size && dark(x, y) === (glyphs === 'dark')
  return Array.from({ length: Math.ceil(size / 2) }, (_, row) =>
    Array.from({ length: size }, (_, x) => halfBlock(inked(x, 2 * row), inked(x, 2 * row + 1))).join(''),
  )
}
