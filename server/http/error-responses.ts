import type { ErrorName } from '../errors.ts'
import { publicError } from './error-map.ts'

/** What every operation can answer, whatever it does. */
const ALWAYS: readonly ErrorName[] = ['INTERNAL', 'UNAVAILABLE']

/**
 * The error responses of an operation as OpenAPI describes them, by status: every code that can come with the
 * status, its sentence, and an example. The schema is the shared error body with these codes alone.
 */
export function errors(...groups: readonly (ErrorName | readonly ErrorName[])[]) {
  const byStatus = new Map<number, ErrorName[]>()
  for (const kind of new Set([...groups.flat(), ...ALWAYS])) {
    const { status } = publicError(kind)
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind])
  }
  return Object.fromEntries([...byStatus].map(([status, kinds]) => [status, describe(kinds)]))
}

function describe(kinds: readonly ErrorName[]) {
  const known = kinds.map(publicError).sort((a, b) => a.code - b.code)
  return {
    description: known.map(({ code, error, message }) => `- \`${code}\` ${error}: ${message}`).join('\n'),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ErrorResponsePayloadDto' },
            { properties: { code: { enum: known.map(({ code }) => code) } } },
          ],
        },
        examples: Object.fromEntries(
          known.map(({ code, error, message }) => [
            error,
            {
              value: { code, error, message, requestId: '0f0c9a9e-5a4e-4f0b-9a52-0d7c5f7f3f1e', details: [] },
            },
          ]),
        ),
      },
    },
  }
}
