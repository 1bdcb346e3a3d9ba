/** One character for two pixels, one above the other, so that pixels are square. */
export function halfBlock(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
