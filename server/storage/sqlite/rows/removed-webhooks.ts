import { deliveriesOf } from '../../shared/webhooks/mapping.ts'
import type { Orm } from '../engine/database.ts'

/** Deliveries that one commit deletes. They lie side by side. */
const PAGE = 200

/**
 * Deletes webhooks with their deliveries, of which there may be a million: nobody sees a removed webhook any more, and its
 * rows are deleted page by page. Call it inside of a commit.
 */
export function createRemovedWebhooks({ $client: sqlite }: Orm) {
  const mark = sqlite.prepare<{ id: string; at: number; url: Buffer; secrets: Buffer }>(
    'UPDATE webhooks SET deleted_at = @at, url = @url, secrets = @secrets WHERE id = @id',
  )
  const next = sqlite
    .prepare<[], string>('SELECT id FROM webhooks WHERE deleted_at IS NOT NULL ORDER BY id LIMIT 1')
    .pluck()
  const deleteDeliveries = sqlite.prepare<[above: string, below: string]>(
    `DELETE FROM deliveries WHERE id IN
       (SELECT d.id FROM deliveries d WHERE d.id > ? AND d.id < ? ORDER BY d.id LIMIT ${PAGE})`,
  )
  const deleteFeeds = sqlite.prepare<[id: string]>('DELETE FROM webhook_feeds WHERE webhook_id = ?')
  const deleteWebhook = sqlite.prepare<[id: string]>('DELETE FROM webhooks WHERE id = ?')

  function deletePageOf(id: string) {
    deleteFeeds.run(id)
    if (deleteDeliveries.run(...deliveriesOf(id)).changes < PAGE) deleteWebhook.run(id)
  }

  return {
    /** Deletes the first page at once. What is left has `empty` in place of its sealed values. */
    remove(id: string, at: number, empty: { url: Buffer; secrets: Buffer }) {
      mark.run({ id, at, ...empty })
      deletePageOf(id)
    },
    /** Deletes a page of a webhook that was removed. False when there is none. */
    deletePage(): boolean {
      const id = next.get()
      if (id !== undefined) deletePageOf(id)
      return id !== undefined
    },
  }
}
