const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Counts as blocks; the highest is a full block, and 1 differs from 0. */
export function sparkline(counts: readonly number[]): string {
  const highest = Math.max(1, ...counts)
  return counts
    .map(
      (count) => BLOCKS[count === 0 ? 0 : Math.max(1, Math.round((count / highest) * (BLOCKS.length - 1)))],
    )
    .join('')
}

/** "▮▮▮▯▯" for a `share` from 0 to 1; full only at 1. */
export function progressBar(share: number, cells: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * cells)
  return '▮'.repeat(full) + '▯'.repeat(cells - full)
}
