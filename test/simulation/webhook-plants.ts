import { type Bug, EASY, HARD } from './bug.ts'
import { inPort } from './wrap.ts'

const kind = { webhooks: true }

/** What goes wrong where the hub stores what it has sent to webhooks. */
export const WEBHOOK_BUGS: readonly Bug[] = [
  {
    name: 'a webhook that is not tried again',
    ...EASY,
    ...{ kind, breaks: ['webhooks'] },
    plants: () =>
      inPort('webhookQueue', ({ store }) => ({
        store: (progress, at) =>
          store(
            progress.map(({ deliveries, ...one }) => ({
              ...one,
              deliveries: deliveries.filter(({ state }) => state !== 'pending'),
            })),
            at,
          ),
      })),
  },
  {
    name: 'a feed that passes events which are not sent',
    ...HARD,
    ...{ kind, breaks: ['webhooks'] },
    plants: () =>
      inPort('webhookQueue', ({ store }) => ({
        store: (progress, at) =>
          store(
            progress.map(({ feeds, ...one }) => ({
              ...one,
              feeds: feeds.map(({ number, after }) => ({ number, after: after + 60_000_000 })),
            })),
            at,
          ),
      })),
  },
  {
    name: 'a hub that takes events for sent when it starts',
    ...HARD,
    ...{ kind, breaks: ['webhooks'] },
    plants: () => inPort('webhookQueue', () => ({ begun: async (_id, seqs) => new Set(seqs) })),
  },
  {
    name: 'a webhook that was enabled again and does not go on',
    ...HARD,
    ...{ kind, breaks: ['webhooks'] },
    plants: () =>
      inPort('webhookQueue', ({ sending }) => ({
        sending: async () => (await sending()).filter(({ revision }) => revision === 0),
      })),
  },
]
