/** A part of a page as HTML that the server has rendered, by the id of its element. */
export type Part = readonly [id: string, html: string]

/** What a live page is told: what has changed, each part whole. The first message of a stream has everything. */
export interface Message {
  /** By the server's clock, milliseconds. */
  now: number
  /** The same for people. */
  at: string
  rows: Part[]
  /** The ids of all rows, the newest first. Left out when it has not changed. */
  order?: string[]
  parts: Part[]
}

/** Why the server has ended a stream: its session is over, has another role, or the hub stops. */
export type EndReason = 'session' | 'hub'
