/** The columns of a DeliveryRow. */
export const DELIVERY =
  'webhook_id AS "webhookId", seq, event_id AS "eventId", type, state, step, next_at AS "nextAt", attempts'
