import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** Bytes. */
export const memory = z.object({ rss: z.number(), heapUsed: z.number(), external: z.number() })
export type Memory = z.infer<typeof memory>

/** Arguments of Node.js for a process that tells what it holds when it is sent a message. */
export const TELLING_MEMORY = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('./tell-memory.ts', import.meta.url)),
]

/** What lives in JavaScript and beside it, for each of so many. */
export function liveEach(before: Memory, after: Memory, count: number): number {
  return (after.heapUsed + after.external - before.heapUsed - before.external) / count
}

export function residentEach(before: Memory, after: Memory, count: number): number {
  return (after.rss - before.rss) / count
}
