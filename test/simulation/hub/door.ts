import type { z } from '@hono/zod-openapi'
import type { Core } from '../../../server/core.ts'
import { publicError } from '../../../server/http/errors/catalogue.ts'
import type { qrRecordDto } from '../../../server/http/openapi/schemas.ts'
import type { SignedFields } from '../../../server/payments/canonical-string.ts'
import { HubError } from '../../../server/platform/errors.ts'
import { parseIso8601 } from '../../../server/platform/time/iso-8601.ts'

export type SignedCallback = SignedFields & { checkSum: string }

/** What a caller is told of a callback. */
export type Word =
  | { kind: 'accepted'; record: z.infer<typeof qrRecordDto>; replayed: boolean }
  | { kind: 'refused'; code: number }

/** The way in for callbacks: over HTTP without a socket, or straight to the verb. */
export type Door = (
  partner: { clientId: string; accessToken: string },
  callback: SignedCallback,
) => Promise<Word>

export function verbDoor({ verbs }: Core): Door {
  return async ({ clientId }, callback) => {
    try {
      const paidAt = parseIso8601(callback.payDate) ?? 0
      const { record, replayed } = await verbs.recordCallback(
        clientId,
        { ...callback, paidAt },
        () => undefined,
      )
      return { kind: 'accepted', record, replayed }
    } catch (error) {
      if (error instanceof HubError) return { kind: 'refused', code: publicError(error.kind).code }
      throw error
    }
  }
}

export function httpDoor({ app }: Core): Door {
  return async ({ accessToken }, callback) => {
    const answer = await app.request('/api/v1/partner/payment/callback', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(callback),
    })
    const body: unknown = await answer.json()
    // The description of the API, which other tests hold every answer against, says what these bodies are.
    if (answer.status !== 200) return { kind: 'refused', code: (body as { code: number }).code }
    const record = body as z.infer<typeof qrRecordDto>
    return { kind: 'accepted', record, replayed: answer.headers.has('idempotent-replayed') }
  }
}
