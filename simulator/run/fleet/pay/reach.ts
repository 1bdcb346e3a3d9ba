import { messageOf } from '../../../platform/error-text.ts'
import { type PartnerClient, PartnerRefusal } from '../../hub/partner-client.ts'

/** Answers of a proxy whose hub is away, and of a hub that can't store anything. */
const AWAY = new Set([502, 503])

/** Whether an error of a request means that no hub took it: no answer in time, or one of a proxy. */
function isAway(error: unknown): boolean {
  return !(error instanceof PartnerRefusal) || AWAY.has(error.status)
}

/** A partner's client that remembers since when the partner API has been unreachable. */
export interface Reach {
  client: PartnerClient
  /** When the first request failed after the last that was answered; undefined while requests are answered. */
  readonly awaySinceMs: number | undefined
  /** The error of the last request that nobody answered; empty before the first. */
  readonly lastFailure: string
}

export function watchReach(client: PartnerClient, now: () => number): Reach {
  let awaySinceMs: number | undefined
  let lastFailure = ''

  async function watched<T>(asked: Promise<T>): Promise<T> {
    try {
      const answer = await asked
      awaySinceMs = undefined
      return answer
    } catch (error) {
      if (isAway(error)) {
        awaySinceMs ??= now()
        lastFailure = messageOf(error)
      } else awaySinceMs = undefined
      throw error
    }
  }

  return {
    client: {
      logIn: () => watched(client.logIn()),
      sendVerification: (serial) => watched(client.sendVerification(serial)),
      register: (body) => watched(client.register(body)),
      dynamicQr: (body) => watched(client.dynamicQr(body)),
      callback: (fields) => watched(client.callback(fields)),
      stores: (serial) => watched(client.stores(serial)),
      stages: (ftCode) => watched(client.stages(ftCode)),
    },
    get awaySinceMs() {
      return awaySinceMs
    },
    get lastFailure() {
      return lastFailure
    },
  }
}
