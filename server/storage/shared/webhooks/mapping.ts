import { type EventType, isEventType } from '../../../events/event.ts'
import type { Vault } from '../../../security/vault.ts'
import type { Feed, Progress, Sending } from '../../../webhooks/ports.ts'
import type { Standing } from '../../../webhooks/progress.ts'
import type {
  Attempt,
  Backlog,
  Delivery,
  Webhook,
  WebhookFields,
  WebhookSecrets,
} from '../../../webhooks/webhook.ts'
import { sealedFields } from '../sealed-columns.ts'
import { withoutNulls } from '../without-nulls.ts'

type Nullable<T> = { [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] }

/** A webhook as it is read. */
export interface WebhookRow extends Nullable<Omit<Webhook, 'url' | 'types'>> {
  url: Buffer
  /** With spaces between them. */
  types: string | null
}

/** A webhook to send to, without what is sealed. */
export interface SendingRow extends Omit<WebhookRow, 'url'> {
  revision: number
  previousUntil: number | null
}

/** What is sealed of it. */
export interface SealedWebhookRow {
  id: string
  revision: number
  url: Buffer
  secrets: Buffer
}

export interface FeedRow extends Nullable<Feed> {
  webhookId: string
}

/** A webhook of which attempts are stored. */
export interface StandingRow extends Nullable<Standing> {
  id: string
  clientId: string
  revision: number
  /** Of the partner's events. */
  deletedUpTo: number
}

export interface DeliveryRow extends Nullable<Omit<Delivery, 'attempts'>> {
  attempts: Buffer
}

/** The columns of a delivery. */
export interface DeliveryColumns extends DeliveryRow {
  id: string
  /** Not stored: the start of the newest attempt. A row that is due later belongs to a replay that was asked for meanwhile. */
  attemptedAt: number
}

/** The highest seq has as many digits. */
const SEQ_DIGITS = 16

/** In the order of a webhook's seqs. */
export function deliveryId(webhookId: string, seq: number): string {
  return `${webhookId}/${String(seq).padStart(SEQ_DIGITS, '0')}`
}

/** The ids of all deliveries of a webhook are between the two. */
export function deliveriesOf(webhookId: string): [above: string, below: string] {
  // 0 follows the slash.
  return [`${webhookId}/`, `${webhookId}0`]
}

export function writeTypes(types: WebhookFields['types']): string | null {
  return types?.join(' ') ?? null
}

/** Those of a later release are left out. */
function readTypes(types: string | null): EventType[] | undefined {
  return types?.split(' ').filter(isEventType)
}

/** For sorting. A webhook's id rises with its time. */
export function newestFirst(one: Webhook, other: Webhook): number {
  return other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1)
}

/** The fields that a change gives another value, for the audit. Undefined when there are none. */
export function changesOf(before: Webhook, after: Webhook) {
  const names = ['url', 'types', 'description', 'state'] as const
  const text = (webhook: Webhook, name: (typeof names)[number]) =>
    name === 'types' ? writeTypes(webhook.types) : webhook[name]
  const changed = names.filter((name) => text(before, name) !== text(after, name))
  if (changed.length === 0) return undefined
  return { changed, ...(changed.includes('state') && { state: [before.state, after.state] }) }
}

/** The webhook after a change at an instant. */
export function changed(before: Webhook, change: Partial<WebhookFields & Pick<Webhook, 'state'>>): Webhook {
  const after = { ...before, ...change }
  const isEnabled = change.state === 'enabled'
  const isPaused = change.state === 'disabled' && before.state === 'enabled'
  return {
    ...after,
    disabledReason: isEnabled || isPaused ? undefined : before.disabledReason,
    failingSince: isEnabled ? undefined : before.failingSince,
  }
}

/** Whether a change may repair what made deliveries fail. Then all that is pending is due at once. */
export function repairs(before: Webhook, change: Partial<Pick<Webhook, 'url' | 'state'>>): boolean {
  return change.state === 'enabled' || (change.url !== undefined && change.url !== before.url)
}

/**
 * The deliveries of a progress to be stored: those of deleted events are not. One that failed before the webhook was
 * repaired is due at once.
 */
export function toBeStored(
  { deliveries, revision }: Progress,
  { deletedUpTo, enabledAt, ...stored }: StandingRow,
): readonly Delivery[] {
  const failedBefore = ({ state, attempts }: Delivery) =>
    state === 'pending' && revision < stored.revision && (attempts.at(-1)?.at ?? 0) <= enabledAt
  return deliveries
    .filter(({ seq }) => seq > deletedUpTo)
    .map((delivery) => (failedBefore(delivery) ? { ...delivery, nextAt: enabledAt } : delivery))
}

export type WebhookMapping = ReturnType<typeof createWebhookMapping>

/** Maps webhooks and deliveries to rows and back. */
export function createWebhookMapping(vault: Vault) {
  const webhooks = sealedFields(vault, 'webhooks')
  const deliveries = sealedFields(vault, 'deliveries')
  const sealAttempts = (id: string, attempts: readonly Attempt[]) =>
    deliveries.seal(id, 'attempts', JSON.stringify(attempts))

  return {
    toWebhook({ url, types, ...row }: WebhookRow): Webhook {
      return { ...withoutNulls(row), url: webhooks.read(row.id, 'url', url), types: readTypes(types) }
    },

    sealUrl: (id: string, url: string) => webhooks.seal(id, 'url', url),

    /** The newest first. */
    sealSecrets: (id: string, secrets: readonly string[]) =>
      webhooks.seal(id, 'secrets', JSON.stringify(secrets)),

    openSecrets({ id, secrets }: Pick<SealedWebhookRow, 'id' | 'secrets'>): string[] {
      // The vault opens only texts that it has sealed: this one comes from `sealSecrets`.
      return JSON.parse(webhooks.read(id, 'secrets', secrets)) as string[]
    },

    openUrl: ({ id, url }: Pick<SealedWebhookRow, 'id' | 'url'>) => webhooks.read(id, 'url', url),

    /** The columns of a delivery. Its sealed attempts have their place before the row is written. */
    toColumns({ attempts, nextAt, ...delivery }: Delivery): DeliveryColumns {
      const id = deliveryId(delivery.webhookId, delivery.seq)
      const attemptedAt = attempts.at(-1)?.at ?? 0
      return { id, ...delivery, nextAt: nextAt ?? null, attempts: sealAttempts(id, attempts), attemptedAt }
    },

    toDelivery({ attempts, ...row }: DeliveryRow): Delivery {
      const id = deliveryId(row.webhookId, row.seq)
      // As above. JSON leaves out what is undefined.
      const read = JSON.parse(deliveries.read(id, 'attempts', attempts)) as Attempt[]
      return {
        ...withoutNulls(row),
        attempts: read.map((one) => ({ ...one, status: one.status, error: one.error })),
      }
    },
  }
}

/** A feed with what else is said of its webhook. */
export interface BacklogRow {
  after: number
  count: number
  sent: number
  probeAt: number | null
}

/** Of the first two feeds of a webhook by their numbers: the second one sends a range again. */
export function toBacklog([first, replay]: readonly BacklogRow[]): Backlog | undefined {
  if (!first) return undefined
  const { after, probeAt } = first
  return {
    after,
    probeAt: probeAt ?? undefined,
    // Events that were added to the log late may be sent as well.
    replay: replay && { count: replay.count, sent: Math.min(replay.sent, replay.count) },
  }
}

/** Without the webhook's id. */
export function toFeed({ number, after, upTo }: FeedRow): Feed {
  return { number, after, upTo: upTo ?? undefined }
}

interface Opened {
  revision: number
  url: string
  secrets: string[]
}

/**
 * Makes the webhooks to send to. What is sealed is opened when its revision has changed: this is asked every second, for
 * all webhooks.
 */
export function createSendings(mapping: Pick<WebhookMapping, 'openUrl' | 'openSecrets'>) {
  let opened = new Map<string, Opened>()
  const openedOf = ({ id, revision }: SendingRow) => {
    const one = opened.get(id)
    return one?.revision === revision ? one : undefined
  }

  return {
    /** The webhooks whose sealed columns are not known. */
    unknown: (rows: readonly SendingRow[]) => rows.filter((row) => !openedOf(row)).map(({ id }) => id),

    /**
     * Joins the rows of three tables. Each is read by its own statement: a webhook that was changed or deleted between
     * two of them is left out until the next call.
     */
    toSendings(
      rows: readonly SendingRow[],
      sealed: readonly SealedWebhookRow[],
      feeds: readonly FeedRow[],
    ): Sending[] {
      for (const row of sealed) {
        const { id, revision } = row
        opened.set(id, { revision, url: mapping.openUrl(row), secrets: mapping.openSecrets(row) })
      }
      opened = new Map(
        rows.flatMap((row) => {
          const one = openedOf(row)
          return one ? [[row.id, one] as const] : []
        }),
      )
      const feedsOf = Map.groupBy(feeds, ({ webhookId }) => webhookId)
      return rows.flatMap(({ types, previousUntil, ...row }) => {
        const { url, secrets: [secret, previous] = [] } = opened.get(row.id) ?? {}
        if (url === undefined || secret === undefined) return []
        return {
          ...{ ...withoutNulls(row), url, types: readTypes(types), secret },
          previous: overlap(previous, previousUntil),
          feeds: feedsOf.get(row.id)?.map(toFeed) ?? [],
        }
      })
    },
  }
}

function overlap(secret: string | undefined, until: number | null): WebhookSecrets['previous'] {
  return secret === undefined || until === null ? undefined : { secret, until }
}

/** Rows of a count by state and reason. */
export interface CountRow {
  state: Webhook['state']
  disabledReason: Webhook['disabledReason'] | null
  isFailing: boolean | number
  webhooks: number
  pending: number
}

export function toCounts(rows: readonly CountRow[]) {
  const sum = (matches: (row: CountRow) => boolean) =>
    rows.filter(matches).reduce((total, row) => total + row.webhooks, 0)
  const disabledBy = (reason: CountRow['disabledReason']) =>
    sum((row) => row.state === 'disabled' && row.disabledReason === reason)
  return {
    enabled: sum(({ state }) => state === 'enabled'),
    failing: sum(({ state, isFailing }) => state === 'enabled' && Boolean(isFailing)),
    disabled: { gone: disabledBy('gone'), failing: disabledBy('failing'), partner: disabledBy(null) },
    pending: rows.reduce((total, row) => total + row.pending, 0),
  }
}
