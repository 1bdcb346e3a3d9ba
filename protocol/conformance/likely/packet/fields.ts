import type { z } from 'zod'
import { explainTime } from '../time.ts'

type Issue = Pick<z.core.$ZodIssue, 'code' | 'path' | 'message'> & { values?: unknown; expected?: unknown }

/** Names the mistake in the first field that violates its schema. `now` is Unix seconds. */
export function explainFields(
  says: object,
  issues: readonly Issue[],
  now: number,
): { name: string; says: string } | undefined {
  const [issue] = issues
  const name = issue?.path.join('.')
  if (!issue || !name) return undefined
  const value = valueAt(says, issue.path)
  const what = value === undefined ? 'it is left out' : (clock(name, value, now) ?? typeFault(value, issue))
  return what === undefined ? undefined : { name, says: `\`${name}\`: ${what}` }
}

function clock(name: string, value: unknown, now: number): string | undefined {
  return name === 'at' && typeof value === 'number' ? explainTime(value, now) : undefined
}

function typeFault(value: unknown, { expected, values }: Issue): string | undefined {
  const wantsNumber = expected === 'number' || expected === 'int'
  if (value === null) return 'it is null: leave the field out (9.1)'
  if (wantsNumber && typeof value === 'string')
    return value !== '' && Number.isFinite(Number(value))
      ? 'it is a text: write the number without quotes (9.1)'
      : undefined
  if (wantsNumber && typeof value === 'number') return `${value} is no integer (9.1)`
  if (expected === 'string' && typeof value === 'number') return 'it is a number: write it in quotes (9.1)'
  if (expected === 'boolean')
    return `it is ${JSON.stringify(value)}: write true or false, without quotes (9.1)`
  if (expected === 'array' && typeof value === 'string') return 'it is a text: write a list, ["…"] (9.1)'
  if (typeof value !== 'string') return undefined
  const lower = value.toLowerCase()
  if (Array.isArray(values) && values.includes(lower))
    return `"${value}" has capitals: write "${lower}" (9.1)`
  if (/^[0-9A-Fa-f]{16}$/.test(value)) return `"${value}" has capitals: write hex in lower case (3.1)`
  if (/^[0-9a-f]*$/.test(value))
    return `"${value}" has ${value.length} characters: 8 random bytes are 16 (3.1)`
  return undefined
}

function valueAt(says: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), says)
}
