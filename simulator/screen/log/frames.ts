import type { FeedItem } from '../../speaker/feed.ts'

/** The packet whose frame is shown (undefined: the newest), and the scroll position in rows. */
export interface FrameChoice {
  packet: PacketItem | undefined
  scroll: number
}

/** A feed item of a packet. */
export type PacketItem = Extract<FeedItem, { kind: 'packet' }>

/** The packets with a frame, oldest first. */
export function framedPackets(log: readonly FeedItem[]): PacketItem[] {
  return log.filter((item) => item.kind === 'packet').filter((item) => item.note.message !== undefined)
}
