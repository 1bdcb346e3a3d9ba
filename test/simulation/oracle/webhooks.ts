import { Violation } from '../kit/violation.ts'
import type { Parcel } from '../shop/receivers.ts'
import type { Endpoint } from '../shop/town.ts'
import type { FileReader, LogRow } from './file.ts'
import type { Unrest } from './rest.ts'

/** Sees what the endpoints of partners get. */
export interface WebhookWatch {
  got(file: FileReader | undefined, parcel: Parcel, isConfirmed: boolean): void
  clockWasSet(): void
  /** An event that an endpoint has still to get. */
  findUnrest(file: FileReader): Unrest | undefined
}

/**
 * Every event of a partner reaches its endpoint at least once, if it is of the types that the endpoint wants. Nothing else
 * does: no event before its commit, none of another partner.
 */
export function createWebhookWatch(endpoints: readonly Endpoint[]): WebhookWatch {
  const confirmed = new Set<string>()
  let isClockSet = false

  const keyOf = ({ clientId, seq }: Pick<LogRow, 'clientId' | 'seq'>) => `${clientId} ${seq}`

  return {
    got(file, { url, event }, isConfirmed) {
      const endpoint = endpoints.find((one) => one.url === url)
      if (!endpoint) throw new Violation('webhooks', `${url} is no endpoint`)
      const row = { clientId: endpoint.clientId, seq: Number(event.seq) }
      if (isConfirmed) confirmed.add(keyOf(row))
      // While the only hub is down, its file may be an older one.
      if (!file) return
      const stored = file.log(row)
      if (stored && stored.type !== event.type)
        throw new Violation('webhooks', `${url} got ${event.type} in the place of ${stored.type}`)
      if (endpoint.types && !endpoint.types.some((type) => type === event.type))
        throw new Violation('webhooks', `${url} got ${event.type}, which it does not want`)
    },
    clockWasSet() {
      isClockSet = true
    },
    findUnrest(file) {
      for (const { clientId, url, types } of endpoints) {
        const late = file.logOf(clientId).find(
          (row) =>
            (!types || types.some((type) => type === row.type)) &&
            !confirmed.has(keyOf(row)) &&
            // It waits for an instant of a clock that was set back.
            !(isClockSet && file.isTriedAgain(row)),
        )
        if (late) return { invariant: 'webhooks', what: `${url} never got ${late.type} (${late.seq})` }
      }
      return undefined
    },
  }
}
