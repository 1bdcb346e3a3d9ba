import { messageOf } from '../../../platform/error-text.ts'
import { type PartnerClient, PartnerRefusal } from '../../hub/partner-client.ts'

/** Answers of a proxy whose hub is away, and of a hub that can't store anything. */
const AWAY = new Set([502, 503])

/** Whether an error of a request means that no hub took it: no answer in time, or one of a proxy. */
export function isAway(error: unknown): boolean {
  return !(error instanceof PartnerRefusal) || AWAY.has(error.status)
}

/** A hub that answers no request for so long hangs, or was stopped. */
const SILENT_MS = 5_000
const SILENT = 'no answer'

/** A partner's client that remembers since when the partner API has been unreachable. */
export interface Reach {
  client: PartnerClient
  /**
   * When the first request failed after the last that was answered, or since when a hub that is silent for 5 s has been
   * asked; undefined while requests are answered.
   */
  readonly awaySinceMs: number | undefined
  /** The error of the last request that nobody answered; empty before the first. */
  readonly lastFailure: string
}

export function watchReach(client: PartnerClient, now: () => number): Reach {
  let awaySinceMs: number | undefined
  let lastFailure = ''
  let unanswered = 0
  /** Since when a request has been waiting and no other has been answered. */
  let waitingSinceMs: number | undefined

  /** A request that the hub answers at once, without waiting for a speaker. */
  async function prompt<T>(asked: Promise<T>): Promise<T> {
    unanswered += 1
    waitingSinceMs ??= now()
    try {
      return await watched(asked)
    } finally {
      unanswered -= 1
      waitingSinceMs = unanswered === 0 ? undefined : now()
    }
  }

  function silentSinceMs(): number | undefined {
    return waitingSinceMs !== undefined && now() - waitingSinceMs >= SILENT_MS ? waitingSinceMs : undefined
  }

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
      logIn: () => prompt(client.logIn()),
      sendVerification: (serial) => watched(client.sendVerification(serial)),
      register: (body) => watched(client.register(body)),
      dynamicQr: (body) => watched(client.dynamicQr(body)),
      callback: (fields, given) => prompt(client.callback(fields, given)),
      stores: (serial) => prompt(client.stores(serial)),
      stages: (ftCode) => prompt(client.stages(ftCode)),
    },
    get awaySinceMs() {
      return awaySinceMs ?? silentSinceMs()
    },
    get lastFailure() {
      return awaySinceMs === undefined && silentSinceMs() !== undefined ? SILENT : lastFailure
    },
  }
}
