import type { Context } from 'hono'
import type { AppDeps } from '../../app/app.ts'
import type { ReadVerbs } from '../../app/read-verbs.ts'
import type { HttpEnv } from '../../http/response/env.ts'
import type { SessionVerbs } from '../../operators/manage-sessions.ts'
import type { ConsoleSession, Role } from '../../operators/session.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import type { Actor } from '../../security/actor.ts'
import type { Html } from '../../site/parts/html.ts'
import type { Storage, StoragePorts } from '../../storage/ports.ts'
import type { Line } from '../live/line.ts'
import type { Both, Lang } from './words.ts'

/** What pages stand on. */
export interface PageParts {
  storage: StoragePorts
  verbs: ReadVerbs
  sessions: SessionVerbs
  /** The start of this hub: see DeviceLists. */
  hubSince: number
  clock: Clock
  /** Whether no old row is deleted, because the clock is in doubt. */
  retentionWaits(): boolean
}

/** What the console stands on, once the hub has opened its storage. */
export interface Parts extends PageParts {
  storage: Storage
  /** What the partner API can do. */
  verbs: AppDeps['verbs']
}

/** A request of a person who is logged in, with what its page needs. */
export interface OwnVisit extends PageParts {
  c: Context<HttpEnv>
  lang: Lang
  now: number
  /** For long reads, whose owner is the session. */
  slices: Slices
  who: ConsoleSession
  by: Actor
}

/** A request that only looks. */
export interface PageVisit extends OwnVisit {
  /** The first page, live. */
  line: Line
}

/** A request that changes something. */
export interface ChangeVisit extends OwnVisit {
  verbs: AppDeps['verbs']
}

/** A page as a route returns it. */
export interface Page {
  title: string
  body: Html
  status?: 400 | 401 | 403 | 404 | 409 | 413 | 503
}

/** What a route answers: a page, or a whole response. */
export type Answer = Page | Response

interface RouteOf<Method, V> {
  method: Method
  /** As Hono's. */
  path: string
  /** The least role that may use it. */
  role: Role
  answer(visit: V): Promise<Answer> | Answer
}

/** A page of people who are logged in. It changes nothing. */
export type PageRoute = RouteOf<'GET', PageVisit>

/** A change by people who are logged in. */
export interface ChangeRoute extends RouteOf<'POST', ChangeVisit> {
  /** What the body may have: 64 KiB when absent. */
  mostBytes?: number
}

export type Route = PageRoute | ChangeRoute

/** A page of the bar at the top. */
export interface Place {
  path: string
  name: Both
}

export function actorOf({ name }: ConsoleSession): Actor {
  return { kind: 'operator', name, from: 'console' }
}
