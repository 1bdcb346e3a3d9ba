import type { FeedItem } from './feed.ts'
import type { Speaker } from './speaker.ts'

/**
 * The speaker without a screen: each happening as one line of JSON, for scripts and tests. The lines are
 * the happenings themselves; see the table in the README. Returns what ends it.
 */
export function runHeadless(speaker: Pick<Speaker, 'subscribe'>, write: (line: string) => void): () => void {
  return speaker.subscribe((item) => {
    const line = headlessLine(item)
    if (line !== undefined) write(`${line}\n`)
  })
}

/** A feed item as headless mode prints it; undefined for what it leaves out (the packets). */
export function headlessLine(item: FeedItem): string | undefined {
  return item.kind === 'happening' ? JSON.stringify(item.happening) : undefined
}
