import { z } from 'zod'
import { LANGUAGES } from '../../../protocol/money/language.ts'

const clip = z.string().regex(/^\d{3}$/, 'a clip id has three digits')

/** The voice that was flashed into a box: which of its clips says which clip of sb/1. */
export const pack = z
  .object({
    lang: z.enum(LANGUAGES),
    currency: z.literal('VND'),
    /** By the id of sb/1's clip. */
    clips: z.record(z.string(), clip),
    /** System sounds of the firmware: a number, or a range such as "238-254". */
    forbidden: z.array(z.union([z.number(), z.string()])),
  })
  .loose()
export type Pack = z.infer<typeof pack>

/** Whether a clip is a system sound. */
export function isForbidden({ forbidden }: Pack, id: string): boolean {
  return forbidden.some((entry) => {
    const [from = '', to = from] = String(entry).split('-')
    return Number(id) >= Number(from) && Number(id) <= Number(to)
  })
}
