import { z } from 'zod'
import { number } from '../../../protocol/messages/fields.ts'
import { settings } from '../../../protocol/messages/settings.ts'
import type { Memory } from './memory.ts'

const record = z.object({
  serial: z.string(),
  played: number,
  settings,
  keys: z.exactOptional(
    z.object({ given: z.string(), current: z.string(), next: z.exactOptional(z.string()) }),
  ),
  firmware: z.exactOptional(z.string()),
})

/** The memory in a stored record; undefined when it is damaged or belongs to another speaker. */
export function memoryOf(stored: unknown, serial: string): Memory | undefined {
  const parsed = record.safeParse(stored)
  if (!parsed.success || parsed.data.serial !== serial) return undefined
  const { serial: _, ...memory } = parsed.data
  return memory
}
