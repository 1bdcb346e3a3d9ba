import { createLog } from '../../../server/platform/log.ts'
import { createDispatcher, type DispatcherDeps } from '../../../server/webhooks/send/dispatcher.ts'
import type { PostRequest, PostResult } from '../../../server/webhooks/send/post.ts'
import type { AttemptOutcome } from '../../../server/webhooks/send/sender.ts'
import { createVirtualClock } from '../clock.ts'
import { createMemoryQueue } from './memory-queue.ts'

/** A request as an endpoint of the test got it. */
export interface Sent extends PostRequest {
  /** On the test's clock. */
  at: number
  /** Of the endpoint: its webhook, by the host of the URL. */
  webhookId: string
  eventId: string
}

/** What an endpoint answers, and after how long; 'hang' until the time limit. */
export type Reply = { status: number; retryAfterMs?: number; ms?: number } | 'hang' | 'refused'

const NOTHING = { status: undefined, error: undefined, reply: '', retryAfterMs: undefined }

type Act = (...args: unknown[]) => unknown
type Ports = Pick<DispatcherDeps, 'queue' | 'events'>

/**
 * Endpoints, a storage and a clock without sockets. `answer` may be replaced at any time. `ports` are a real storage in the
 * place of `memory`.
 */
export function createWorld({ random = () => 0.5, ports }: { random?: () => number; ports?: Ports } = {}) {
  const clock = createVirtualClock()
  const memory = createMemoryQueue()
  const { queue, events } = ports ?? memory
  /** Calls of the storage that are under way. */
  let calls = 0
  const sent: Sent[] = []
  const underWay = new Map<string, number>()
  const outcomes = new Map<AttemptOutcome, number>()
  const lines: { level: number; msg: string }[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const world = {
    ...{ clock, memory, sent, outcomes, lines },
    answer: (_sent: Sent): Reply => ({ status: 204 }),
    leads: async () => true,
    isClockDoubted: () => false,
    isBusy: () => false,
    /** Before and after each act of the storage. */
    delay: async () => undefined,
    /** The most requests that one webhook had under way. */
    most: new Map<string, number>(),
    calls: () => calls,
    of: (webhookId: string) => sent.filter((one) => one.webhookId === webhookId),
    start,
  }

  function post(request: PostRequest, stop: AbortSignal): Promise<PostResult | undefined> {
    const [webhookId = ''] = new URL(request.url).hostname.split('.')
    const one = { ...request, webhookId, eventId: request.headers['webhook-id'] ?? '', at: clock.elapsed() }
    sent.push(one)
    const now = (underWay.get(webhookId) ?? 0) + 1
    underWay.set(webhookId, now)
    world.most.set(webhookId, Math.max(now, world.most.get(webhookId) ?? 0))
    const reply = world.answer(one)
    return new Promise((resolve) => {
      const end = (result: PostResult | undefined) => {
        underWay.set(webhookId, (underWay.get(webhookId) ?? 1) - 1)
        resolve(result)
      }
      stop.addEventListener('abort', () => end(undefined))
      if (reply === 'hang') clock.after(15_000, () => end({ ...NOTHING, outcome: 'timeout', error: 'No.' }))
      else if (reply === 'refused') end({ ...NOTHING, outcome: 'refused', error: 'No.' })
      else
        clock.after(reply.ms ?? 0, () =>
          end({
            ...{ ...NOTHING, outcome: 'answered', status: reply.status },
            retryAfterMs: reply.retryAfterMs,
          }),
        )
    })
  }

  /** A hub. `kill` ends it as SIGKILL does: nothing of it reaches the storage any more. */
  function start(leads = () => world.leads()) {
    let isDead = false
    const never = new Promise<never>(() => undefined)
    async function acted(act: Act, args: unknown[]) {
      await world.delay()
      const value = await act(...args)
      await world.delay()
      return value
    }
    const mortal = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, name, receiver) => {
          const act: unknown = Reflect.get(target, name, receiver)
          if (typeof act !== 'function') return act
          return async (...args: unknown[]) => {
            if (isDead) return never
            calls += 1
            const value = await acted(act as Act, args).finally(() => {
              calls -= 1
            })
            return isDead ? never : value
          }
        },
      })
    const dispatcher = createDispatcher({
      ...{ queue: mortal(queue), events: mortal(events), post, clock, log, random },
      leads,
      isClockDoubted: () => world.isClockDoubted(),
      isBusy: () => world.isBusy(),
      slices: { run: (_owner, slice) => slice() },
      count: (outcome) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1),
    })
    dispatcher.start()
    return {
      ...dispatcher,
      kill() {
        isDead = true
      },
    }
  }

  return world
}

/** A hub that sends to one webhook, `a`. */
export async function begin(answer: (n: number) => Reply = () => ({ status: 204 })) {
  const world = createWorld()
  let n = 0
  world.answer = () => {
    n += 1
    return answer(n)
  }
  world.memory.add('a')
  const hub = world.start()
  await world.clock.wind(0)
  const { memory, clock } = world
  const stateOf = (seq: number) => memory.deliveries('a').find((one) => one.seq === seq)?.state
  return { world, memory, clock, hub, stateOf, of: world.of, tell: memory.tell }
}
