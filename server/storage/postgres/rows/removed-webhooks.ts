import { deliveriesOf } from '../../shared/webhooks/mapping.ts'
import type { Tx } from '../engine/database.ts'

/** Deliveries that one commit deletes. */
const PAGE = 200

/**
 * Removes a locked webhook. There may be a million deliveries of it: nobody sees it any more, and its rows are deleted page
 * by page, the first one at once. What is left has `empty` in place of its sealed values.
 */
export async function removeWebhook(
  tx: Tx,
  id: string,
  at: number,
  empty: { url: Buffer; secrets: Buffer },
): Promise<void> {
  await tx.query(
    'webhooks.mark',
    'UPDATE webhooks SET deleted_at = $2, url = $3, secrets = $4 WHERE id = $1',
    [id, at, empty.url, empty.secrets],
  )
  await deletePageOf(tx, id)
}

/** Deletes a page of a webhook that was removed. False when there is none. */
export async function deletePageOfRemoved(tx: Tx): Promise<boolean> {
  const [removed] = await tx.query<{ id: string }>(
    'webhooks.removed',
    'SELECT id FROM webhooks WHERE deleted_at IS NOT NULL ORDER BY id LIMIT 1 FOR UPDATE',
  )
  if (removed) await deletePageOf(tx, removed.id)
  return removed !== undefined
}

async function deletePageOf(tx: Tx, id: string) {
  await tx.query('webhooks.deleteFeeds', 'DELETE FROM webhook_feeds WHERE webhook_id = $1', [id])
  const deleted = await tx.query(
    'webhooks.deleteDeliveries',
    `DELETE FROM deliveries WHERE id = ANY (ARRAY(
       SELECT id FROM deliveries WHERE id > $1 AND id < $2 ORDER BY id LIMIT ${PAGE}
     )) RETURNING 1`,
    deliveriesOf(id),
  )
  if (deleted.length < PAGE) await tx.query('webhooks.delete', 'DELETE FROM webhooks WHERE id = $1', [id])
}
