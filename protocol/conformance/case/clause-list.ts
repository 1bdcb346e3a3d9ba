import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { NEEDS } from './schema.ts'

const level = z.enum(['must', 'should', 'may', 'hub'])

const clause = z.union([
  level.transform((given) => ({ level: given, for: [], either: [], beyond: undefined })),
  z.strictObject({
    level,
    /** What a device has that the clause is about. */
    for: z.array(z.enum(NEEDS)).default([]),
    /** One of these suffices for the clause to apply. */
    either: z.array(z.enum(NEEDS)).default([]),
    /** Why no kit can check it. */
    beyond: z.string().optional(),
  }),
])

/** What a clause asks of a device. `hub`: nothing. */
export type ClauseEntry = z.infer<typeof clause>
/** The entries of clauses.yaml by number, in the order of the specification. */
export type ClauseList = ReadonlyMap<string, ClauseEntry>

const FILE = new URL('../clauses.yaml', import.meta.url)

export function readClauseList(): ClauseList {
  return parseClauseList(readFileSync(FILE, 'utf8'))
}

export function parseClauseList(text: string): ClauseList {
  return new Map(Object.entries(z.record(z.string(), clause).parse(parse(text))))
}
