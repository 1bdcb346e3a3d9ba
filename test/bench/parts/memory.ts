import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** Bytes. */
export const memory = z.object({ rss: z.number(), heapUsed: z.number(), external: z.number() })
export type Memory = z.infer<typeof memory>

/** Node.js arguments for a process that reports its memory on request. */
export const TELLING_MEMORY = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('./tell-memory.ts', import.meta.url)),
]

/** Live memory on and off the JavaScript heap, per item. */
export function liveEach(before: Memory, after: Memory, count: number): number {
  return (after.heapUsed + after.external - before.heapUsed - before.external) / count
}

export function residentEach(before: Memory, after: Memory, count: number): number {
  return (after.rss - before.rss) / count
}
