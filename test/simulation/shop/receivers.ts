import type { Clock } from '../../../server/platform/clock.ts'
import type { PostRequest, PostResult } from '../../../server/webhooks/send/post.ts'
import type { Dice } from '../kit/dice.ts'
import type { Trace } from '../kit/trace.ts'

/** Failures of one event at an endpoint. With more, worlds would wait for hours. */
const MOST_FAILURES = 2
const SECOND_MS = 1_000

/** What an endpoint has got. */
export interface Parcel {
  url: string
  /** As it was sent. */
  event: { id: string; seq: string; type: string }
}

/** The endpoints of all webhooks: they answer late, wrong, or never. */
export interface Receivers {
  /** A request has left a hub. `answer` is called when it knows what became of it. */
  take(request: PostRequest, answer: (result: PostResult) => void): void
  /** From here on each answers at once, and well. */
  heal(): void
}

interface ReceiverDeps {
  clock: Pick<Clock, 'after'>
  dice: Dice
  trace: Trace
  /** An endpoint reads a request. `isConfirmed`: it says so. */
  got: (parcel: Parcel, isConfirmed: boolean) => void
}

const UNANSWERED = { status: undefined, reply: '', retryAfterMs: undefined } as const

export function createReceivers({ clock, dice, trace, got }: ReceiverDeps): Receivers {
  const failures = new Map<string, number>()
  let isCalm = false

  /** After how long a request is answered, with what, and whether the endpoint has read it. */
  function fate(): { afterMs: number; isRead: boolean; result: PostResult } {
    const answered = (status: number, retryAfterMs?: number): PostResult => ({
      ...{ outcome: 'answered', status, error: undefined, reply: '', retryAfterMs },
    })
    const quick = dice.between(1, 300)
    const unreachable = { ...UNANSWERED, outcome: 'unreachable', error: 'It is away.' } as const
    return dice.pick([
      { afterMs: quick, isRead: true, result: answered(500) },
      { afterMs: quick, isRead: true, result: answered(302) },
      { afterMs: quick, isRead: true, result: answered(410) },
      { afterMs: quick, isRead: true, result: answered(429, dice.between(0, 30) * SECOND_MS) },
      { afterMs: quick, isRead: false, result: unreachable },
      { afterMs: quick, isRead: true, result: unreachable },
      {
        afterMs: 15 * SECOND_MS,
        isRead: dice.chance(0.5),
        result: { ...UNANSWERED, outcome: 'timeout', error: 'No reply came.' },
      },
    ])
  }

  return {
    take({ url, body }, answer) {
      const event = JSON.parse(body)
      const key = `${url} ${event.seq}`
      const failed = failures.get(key) ?? 0
      if (isCalm || failed >= MOST_FAILURES || dice.chance(0.7)) {
        const result = { ...UNANSWERED, outcome: 'answered', status: 204, error: undefined } as const
        // It may be on the way while the hub dies.
        clock.after(dice.between(1, 400), () => {
          trace.count('webhooks confirmed')
          got({ url, event }, true)
          answer(result)
        })
        return
      }
      failures.set(key, failed + 1)
      const { afterMs, isRead, result } = fate()
      trace.count('webhooks failed')
      clock.after(afterMs, () => {
        if (isRead) got({ url, event }, false)
        answer(result)
      })
    },
    heal() {
      isCalm = true
    },
  }
}
