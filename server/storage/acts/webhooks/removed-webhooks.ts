import { deliveriesOf } from '../../shared/webhooks/mapping.ts'
import { type Act, type Engine, row, rows } from '../act.ts'

/** Deliveries that one commit deletes. They lie side by side. */
const PAGE = 200

/**
 * Removes a locked webhook. There may be a million deliveries of it: nobody sees it any more, and its rows are deleted page
 * by page, the first one at once. What is left has `empty` in place of its sealed values.
 */
export function* removeWebhook(id: string, at: number, empty: { url: Buffer; secrets: Buffer }): Act<void> {
  yield* rows('webhooks.mark', 'UPDATE webhooks SET deleted_at = $2, url = $3, secrets = $4 WHERE id = $1', [
    ...[id, at, empty.url, empty.secrets],
  ])
  yield* deletePageOf(id)
}

/** Deletes a page of a webhook that was removed. False when there is none. */
export function* deletePageOfRemoved({ forUpdate }: Pick<Engine, 'forUpdate'>): Act<boolean> {
  const removed = yield* row<{ id: string }>(
    'webhooks.removed',
    `SELECT id FROM webhooks WHERE deleted_at IS NOT NULL ORDER BY id LIMIT 1 ${forUpdate}`,
  )
  if (removed) yield* deletePageOf(removed.id)
  return removed !== undefined
}

function* deletePageOf(id: string): Act<void> {
  yield* rows('webhooks.deleteFeeds', 'DELETE FROM webhook_feeds WHERE webhook_id = $1', [id])
  const deleted = yield* rows(
    'webhooks.deleteDeliveries',
    `DELETE FROM deliveries WHERE id IN
       (SELECT d.id FROM deliveries d WHERE d.id > $1 AND d.id < $2 ORDER BY d.id LIMIT ${PAGE}) RETURNING 1`,
    deliveriesOf(id),
  )
  if (deleted.length < PAGE) yield* rows('webhooks.delete', 'DELETE FROM webhooks WHERE id = $1', [id])
}
