const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Counts as blocks, the highest as a full one; what is not nothing stands out from what is. */
export function sparkline(counts: readonly number[]): string {
  const highest = Math.max(1, ...counts)
  return counts
    .map(
      (count) => BLOCKS[count === 0 ? 0 : Math.max(1, Math.round((count / highest) * (BLOCKS.length - 1)))],
    )
    .join('')
}

/** "▮▮▮▯▯": `share` from 0 to 1. Full only when all is done. */
export function progressBar(share: number, cells: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * cells)
  return '▮'.repeat(full) + '▯'.repeat(cells - full)
}
