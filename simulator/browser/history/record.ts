import { z } from 'zod'
import { type History, MOST_ENTRIES, NO_HISTORY } from './history.ts'

const count = z.int().min(0)
const amount = z.string().regex(/^\d+$/)
const record = z.object({
  shop: z.object({ name: z.string(), qr: z.string() }).optional(),
  entries: z
    .array(z.object({ kind: z.enum(['spoken', 'missed']), n: count, atMs: z.number(), count, amount }))
    .max(MOST_ENTRIES),
  day: z.object({ date: z.string(), count, amount }),
  hidden: z.boolean(),
  unsure: count.optional(),
})

/** The history in a stored record; an empty one when there is none, or it is damaged. */
export function historyOf(stored: unknown): History {
  const parsed = record.safeParse(stored)
  if (!parsed.success) return NO_HISTORY
  const { shop, unsure, ...rest } = parsed.data
  return { ...rest, shop, unsure }
}
