import type { Context } from 'hono'
import type { AppDeps } from '../../app/app.ts'
import type { HttpEnv } from '../../http/response/env.ts'
import type { SessionVerbs } from '../../operators/manage-sessions.ts'
import type { ConsoleSession, Role } from '../../operators/session.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import type { Actor } from '../../security/actor.ts'
import type { Html } from '../../site/parts/html.ts'
import type { Storage } from '../../storage/ports.ts'
import type { Line } from '../live/line.ts'
import type { Both, Lang } from './words.ts'

/** What the console stands on, once the hub has opened its storage. */
export interface Parts {
  storage: Storage
  /** What the partner API can do. */
  verbs: AppDeps['verbs']
  sessions: SessionVerbs
  /** The start of this hub: see DeviceLists. */
  hubSince: number
  clock: Clock
  /** Whether no old row is deleted, because the clock is in doubt. */
  retentionWaits(): boolean
}

/** A request of somebody, with what its page needs. */
export interface Visit extends Parts {
  c: Context<HttpEnv>
  lang: Lang
  now: number
  /** The first page, live. */
  line: Line
  /** For long reads, whose owner is the session. */
  slices: Slices
}

/** A request of a person who is logged in. */
export interface OwnVisit extends Visit {
  who: ConsoleSession
  by: Actor
}

/** A page as a route returns it. */
export interface Page {
  title: string
  body: Html
  status?: 400 | 401 | 403 | 404 | 409 | 413 | 503
}

/** What a route answers: a page, or a whole response. */
export type Answer = Page | Response

/** A route of people who are logged in. A GET changes nothing, and a POST is a change. */
export interface Route {
  method: 'GET' | 'POST'
  /** As Hono's. */
  path: string
  /** The least role that may use it. */
  role: Role
  /** What the body of a POST may have: 64 KiB when absent. */
  mostBytes?: number
  answer(visit: OwnVisit): Promise<Answer> | Answer
}

/** A page of the bar at the top. */
export interface Place {
  path: string
  name: Both
}
