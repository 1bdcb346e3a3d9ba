import { z } from 'zod'
import type { ApiAnswer } from './partner-api.ts'

const errorJson = z.object({
  code: z.number(),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), issue: z.string() })).catch([]),
})

/** What the operator does about a refusal whose own sentence is for the partner, by its code. */
const ADVICE: Readonly<Record<number, string>> = {
  40103:
    'Compare the client id with hub partner list; hub partner rotate-secret makes another secret. If both are right, the hub runs on another database.',
  40106: 'hub partner enable lets it in again.',
}

/** Says for a person what the hub has refused and what to do, with the code of the error at the end. */
export function refusalOf({ status, headers, body }: ApiAnswer): string {
  const error = errorJson.safeParse(body).data
  if (!error) return `What answers is no hub (status ${status}): give the hub's address with --url.`
  const { code, message, details } = error
  const waitS = headers.get('retry-after')
  const parts = [
    `The hub refuses: ${message}`,
    ...details.map(({ field, issue }) => `${field}: ${issue}.`),
    ...(waitS === null ? [] : [`Retry-After is ${waitS} s.`]),
    ...(ADVICE[code] === undefined ? [] : [ADVICE[code]]),
  ]
  return `${parts.join(' ')} (${code})`
}
