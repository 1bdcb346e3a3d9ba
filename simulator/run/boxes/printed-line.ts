import type { BoxItem } from '../../boxes/box.ts'
import type { BoxLine } from '../../boxes/core/lines.ts'

/** A line of a box; see `boxLine`. The others answer `--packets` and `--control`. */
export type BoxPrintedLine = BoxLine | ({ event: 'packet' | 'snapshot' | 'error' } & Record<string, unknown>)

/** The line of an item; undefined for a packet that is not asked for. */
export function lineOf(item: BoxItem, packets: boolean): BoxPrintedLine | undefined {
  if (item.kind === 'event') return item.event
  return packets ? { event: 'packet', ...item.packet } : undefined
}
