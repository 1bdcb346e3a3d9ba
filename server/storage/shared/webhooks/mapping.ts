import { type EventType, isEventType } from '../../../events/event.ts'
import type { Vault } from '../../../security/vault.ts'
import type { Feed, Progress, Sending, WebhookCounts } from '../../../webhooks/ports.ts'
import type { Standing } from '../../../webhooks/progress.ts'
import type { Attempt, Delivery, Webhook, WebhookFields } from '../../../webhooks/webhook.ts'
import { sealedFields } from '../sealed-columns.ts'
import { type Nullable, withoutNulls } from '../without-nulls.ts'

/** The columns of a WebhookRow. */
export const WEBHOOK = `id, client_id AS "clientId", url, types, description, state, disabled_reason AS "disabledReason",
  created_at AS "createdAt", failing_since AS "failingSince", last_delivered_at AS "lastDeliveredAt"`

/** A webhook as it is read. */
export interface WebhookRow extends Nullable<Omit<Webhook, 'url' | 'types'>> {
  url: Buffer
  /** With spaces between them. */
  types: string | null
}

/** A webhook to send to, with one of its feeds. */
export interface SendingRow extends WebhookRow, Nullable<Feed> {
  revision: number
  secrets: Buffer
  previousUntil: number | null
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

    open({ id, url, secrets }: Pick<SendingRow, 'id' | 'url' | 'secrets'>) {
      return {
        url: webhooks.read(id, 'url', url),
        // The vault opens only texts that it has sealed: this one comes from `sealSecrets`.
        secrets: JSON.parse(webhooks.read(id, 'secrets', secrets)) as string[],
      }
    },

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

/**
 * Makes the function that joins the rows of the webhooks to send to. What is sealed is opened when its revision has
 * changed: this is asked every second, for all webhooks.
 */
export function createSendings(mapping: Pick<WebhookMapping, 'open'>) {
  /** By id and revision. */
  let known = new Map<string, ReturnType<WebhookMapping['open']>>()

  return function toSendings(rows: readonly SendingRow[]): Sending[] {
    const opened: typeof known = new Map()
    const sendings = new Map<string, Sending>()
    for (const { number, after, upTo, ...row } of rows) {
      const { id, revision } = row
      const key = `${id} ${revision}`
      const plain = known.get(key) ?? opened.get(key) ?? mapping.open(row)
      opened.set(key, plain)
      const sending = sendings.get(id) ?? toSending(row, plain)
      sendings.set(id, sending)
      sending.feeds.push(withoutNulls({ number, after, upTo }))
    }
    known = opened
    for (const { feeds } of sendings.values()) feeds.sort((one, other) => one.number - other.number)
    return [...sendings.values()]
  }
}

function toSending(
  { url: _, secrets: __, types, previousUntil: until, ...row }: Omit<SendingRow, keyof Feed>,
  { url, secrets: [secret = '', previous] }: ReturnType<WebhookMapping['open']>,
): Sending {
  return {
    ...{ ...withoutNulls(row), url, types: readTypes(types), secret, feeds: [] },
    previous: previous === undefined || until === null ? undefined : { secret: previous, until },
  }
}

/** What is counted of a webhook. */
export type CountRow = Pick<WebhookRow, 'state' | 'disabledReason' | 'failingSince'> & { pending: number }

export function toCounts(rows: readonly CountRow[]): WebhookCounts {
  const enabled = rows.filter(({ state }) => state === 'enabled')
  const disabledBy = (reason: CountRow['disabledReason']) =>
    rows.filter((row) => row.state === 'disabled' && row.disabledReason === reason).length
  return {
    enabled: enabled.length,
    failing: enabled.filter(({ failingSince }) => failingSince !== null).length,
    disabled: { gone: disabledBy('gone'), failing: disabledBy('failing'), partner: disabledBy(null) },
    pending: rows.reduce((total, row) => total + row.pending, 0),
  }
}
