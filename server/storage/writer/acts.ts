import type { Storage } from '../ports.ts'

/**
 * The acts that write, by the names under which the hub's thread calls them in the writer's thread.
 * All other methods of the ports only read, and run in the hub's thread.
 */
export function writingActs(storage: Storage) {
  const { partners, tokens, devices, codes, settings, stores, bills, payments, outbox, events } = storage
  const { maintenance, health, idempotency, retention, webhooks, webhookQueue } = storage
  return {
    /** Stores nothing, and so waits for no lock: the thread answers unless the disk holds it up. */
    answer: async () => undefined,
    ping: storage.ping,
    'partners.create': partners.create,
    'partners.disable': partners.disable,
    'partners.enable': partners.enable,
    'partners.rotateSecret': partners.rotateSecret,
    'tokens.start': tokens.start,
    'tokens.rotate': tokens.rotate,
    'devices.mint': devices.mint,
    'devices.revoke': devices.revoke,
    'devices.register': devices.register,
    'devices.unregister': devices.unregister,
    'devices.setActive': devices.setActive,
    'devices.askIdentify': devices.askIdentify,
    'devices.takeIdentifyRequests': devices.takeIdentifyRequests,
    'devices.recordIdentified': devices.recordIdentified,
    'maintenance.rotate': maintenance.rotate,
    'maintenance.offer': maintenance.offer,
    'health.record': health.record,
    'health.tellOffline': health.tellOffline,
    'codes.issue': codes.issue,
    'settings.change': settings.change,
    'settings.report': settings.report,
    'stores.update': stores.update,
    'bills.put': bills.put,
    'payments.record': payments.record,
    'outbox.nextNumber': outbox.nextNumber,
    'outbox.take': outbox.take,
    'outbox.markSent': outbox.markSent,
    'outbox.recordAck': outbox.recordAck,
    'outbox.expire': outbox.expire,
    'outbox.clockSetBack': outbox.clockSetBack,
    'outbox.begin': outbox.begin,
    'outbox.leave': outbox.leave,
    'outbox.markMissedShown': outbox.markMissedShown,
    'events.addTest': events.addTest,
    'webhooks.add': webhooks.add,
    'webhooks.change': webhooks.change,
    'webhooks.remove': webhooks.remove,
    'webhooks.rotate': webhooks.rotate,
    'webhooks.replay': webhooks.replay,
    'webhooks.replayRange': webhooks.replayRange,
    'webhookQueue.store': webhookQueue.store,
    'idempotency.keep': idempotency.keep,
    'retention.prunePayments': retention.prunePayments,
    'retention.forgetDeleted': retention.forgetDeleted,
    'retention.pruneEvents': retention.pruneEvents,
    'retention.pruneCodes': retention.pruneCodes,
    'retention.pruneTokens': retention.pruneTokens,
    'retention.pruneIdempotencyKeys': retention.pruneIdempotencyKeys,
    'retention.pruneAudit': retention.pruneAudit,
    'retention.noteClock': retention.noteClock,
  }
}

export type WritingActs = ReturnType<typeof writingActs>
export type ActName = keyof WritingActs

/** The acts whose arguments hold buffers. Node copies those to another thread as plain arrays of bytes. */
export const ACTS_WITH_BUFFERS: ReadonlySet<ActName> = new Set<ActName>([
  'devices.mint',
  'devices.register',
  'maintenance.rotate',
  'codes.issue',
  'tokens.start',
  'tokens.rotate',
  'idempotency.keep',
])

/** The acts of a payment. JSON carries their arguments and results unchanged, except that it drops undefined properties. */
export const PAYMENT_ACTS: ReadonlySet<ActName> = new Set<ActName>([
  'payments.record',
  'outbox.take',
  'outbox.markSent',
  'outbox.recordAck',
])

/** The acts that may take many commits. */
export const LONG_ACTS: ReadonlySet<ActName> = new Set<ActName>([
  'devices.revoke',
  'devices.unregister',
  'devices.setActive',
  'outbox.expire',
  'outbox.clockSetBack',
  'outbox.begin',
  'outbox.markMissedShown',
  'webhookQueue.store',
])

/** The short acts that devices cause. After a power cut thousands of devices ask for them at once. */
export const DEVICE_ACTS: ReadonlySet<ActName> = new Set<ActName>([
  'devices.recordIdentified',
  'health.record',
  'health.tellOffline',
  'settings.report',
  'outbox.nextNumber',
  'outbox.take',
  'outbox.markSent',
  'outbox.recordAck',
  'outbox.leave',
])

/**
 * The acts that may wait, to share a commit. A crash loses no ack and no report: the device repeats what got no PUBACK. A
 * session that could not give its device up owns it until the next birth, as after any kill of its hub.
 */
export const PATIENT_ACTS: ReadonlySet<ActName> = new Set<ActName>([
  'outbox.recordAck',
  'outbox.leave',
  'settings.report',
])
