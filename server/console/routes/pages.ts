import { type Context, Hono } from 'hono'
import { compress } from 'hono/compress'
import type { HttpEnv } from '../../http/response/env.ts'
import type { ConsoleSession } from '../../operators/session.ts'
import { HubError } from '../../platform/errors.ts'
import { createSlices } from '../../platform/lists/slices.ts'
import type { Logger } from '../../platform/log.ts'
import { createLine } from '../live/line.ts'
import { errorPage } from '../pages/entrance.ts'
import { shown } from '../parts/shown.ts'
import { actorOf, type PageParts } from '../parts/visit.ts'
import type { Lang } from '../parts/words.ts'
import { PLACES, ROUTES } from './routes.ts'

/** A request of a person for a page, who may look at it. It can be copied to another thread. */
export interface Asked {
  method: string
  url: string
  /** Accept-Encoding. */
  encodings: string
  lang: Lang
  who: ConsoleSession
}

/** Answers requests for pages. */
export interface Pages {
  answer(asked: Asked): Promise<Response>
  /** Live pages end, and no other one begins. */
  stop(): void
}

/** The pages that change nothing, on what the console stands on. */
export function createPages(parts: PageParts, log: Logger): Pages {
  const app = new Hono<HttpEnv>()
  const line = createLine({ ...parts, log })
  const slices = createSlices()
  const asks = new WeakMap<Request, Asked>()

  function askedIn(c: Context<HttpEnv>): Asked {
    const asked = asks.get(c.req.raw)
    if (!asked) throw new Error('pages are asked for by answer()')
    return asked
  }

  app.use('/', compress())
  for (const { method, path, answer } of ROUTES)
    if (method === 'GET')
      app.get(path, async (c) => {
        const { lang, who } = askedIn(c)
        const now = parts.clock.now()
        const answered = await answer({ ...parts, c, lang, who, by: actorOf(who), now, line, slices })
        return answered instanceof Response ? answered : shown(c, answered, { lang, who, places: PLACES })
      })
  app.onError((error, c) => {
    if (!(error instanceof HubError) || error.kind === 'INTERNAL') throw error
    const { lang, who } = askedIn(c)
    return shown(c, errorPage(lang, error), { lang, who, places: PLACES })
  })

  return {
    async answer(asked) {
      const { url, method, encodings } = asked
      const request = new Request(url, { method, headers: { 'Accept-Encoding': encodings } })
      asks.set(request, asked)
      return app.fetch(request)
    },
    stop: line.stop,
  }
}

/** Calls `end` when something is over. The returned function ends that. */
type Listen = (end: () => void) => () => void

/** The same answer. When nobody reads its stream any more, or nobody writes it, that ends. */
export function untilGone(answer: Response, listen: Listen): Response {
  const { status, headers } = answer
  if (!answer.body || !isStream(headers)) return answer
  const reader = answer.body.getReader()
  const end = () => {
    forget()
    return reader.cancel()
  }
  const forget = listen(end)
  const body = new ReadableStream<Uint8Array>({
    async pull(out) {
      const { done, value } = await reader.read()
      if (!done) return out.enqueue(value)
      forget()
      out.close()
    },
    cancel: end,
  })
  return new Response(body, { status, headers })
}

/** Whether the body of an answer comes by and by. */
export const isStream = (headers: Headers): boolean => !headers.get('Content-Type')?.startsWith('text/html')
