import type { EventLog } from '../../events/ports.ts'
import type { WebhookRecords } from '../ports.ts'

interface Ports {
  webhooks: WebhookRecords
  events: EventLog
}

/** Wraps the ports: after each act that gives a webhook something to do, they call `changed` with its id. */
export function tellChanges({ webhooks, events }: Ports, changed: (webhookId: string) => void): Ports {
  const after =
    <Args extends unknown[], T>(act: (...args: Args) => Promise<T>, idOf: (...args: Args) => string) =>
    async (...args: Args): Promise<T> => {
      const result = await act(...args)
      changed(idOf(...args))
      return result
    }
  const second = (_clientId: string, id: string) => id
  const first = (id: string) => id
  return {
    webhooks: {
      ...webhooks,
      add: after(webhooks.add, ({ id }) => id),
      change: after(webhooks.change, second),
      remove: after(webhooks.remove, second),
      rotate: after(webhooks.rotate, second),
      replay: after(webhooks.replay, first),
      replayRange: after(webhooks.replayRange, first),
    },
    events: { ...events, addTest: after(events.addTest, second) },
  }
}
