import type { Storage } from '../ports.ts'

/** What the way of an act to the writer's thread depends on. */
type Trait =
  /** It changes cached reads: the next read looks at the revision again. */
  | 'grants'
  /** An act of a payment. JSON carries its arguments and results unchanged, except that it drops undefined properties. */
  | 'payment'
  /** A short act that devices cause. After a power cut thousands of devices ask for them at once. */
  | 'device'
  /** It may take many commits. */
  | 'long'
  /**
   * It may wait, to share a commit. A crash loses no ack and no report: the device repeats what got no PUBACK. A session that
   * could not give its device up owns it until the next birth, as after any kill of its hub.
   */
  | 'patient'
  /** Its arguments hold buffers. Node copies those to another thread as plain arrays of bytes. */
  | 'buffers'

const act = <F>(of: (storage: Storage) => F, ...traits: Trait[]) => ({ of, traits })

/**
 * The acts that write, by the names under which the hub's thread calls them in the writer's thread. All other methods of the
 * ports only read, and run in the hub's thread. A new act that writes needs its line here, and nothing else of the writer's.
 */
const ACTS = {
  /** Stores nothing, and so waits for no lock: the thread answers unless the disk holds it up. */
  answer: act(() => async () => undefined),
  ping: act((storage) => storage.ping),
  'partners.create': act(({ partners }) => partners.create, 'grants'),
  'partners.disable': act(({ partners }) => partners.disable, 'grants'),
  'partners.enable': act(({ partners }) => partners.enable, 'grants'),
  'partners.rotateSecret': act(({ partners }) => partners.rotateSecret, 'grants'),
  'tokens.start': act(({ tokens }) => tokens.start, 'grants', 'buffers'),
  'tokens.rotate': act(({ tokens }) => tokens.rotate, 'grants', 'buffers'),
  'devices.mint': act(({ devices }) => devices.mint, 'buffers'),
  'devices.revoke': act(({ devices }) => devices.revoke, 'long'),
  'devices.register': act(({ devices }) => devices.register, 'buffers'),
  'devices.unregister': act(({ devices }) => devices.unregister, 'long'),
  'devices.setActive': act(({ devices }) => devices.setActive, 'long'),
  'devices.askIdentify': act(({ devices }) => devices.askIdentify),
  'devices.takeIdentifyRequests': act(({ devices }) => devices.takeIdentifyRequests),
  'devices.recordIdentified': act(({ devices }) => devices.recordIdentified, 'device'),
  'maintenance.rotate': act(({ maintenance }) => maintenance.rotate, 'buffers'),
  'maintenance.offer': act(({ maintenance }) => maintenance.offer),
  'health.record': act(({ health }) => health.record, 'device'),
  'health.tellOffline': act(({ health }) => health.tellOffline, 'device'),
  'codes.issue': act(({ codes }) => codes.issue, 'buffers'),
  'settings.change': act(({ settings }) => settings.change),
  'settings.report': act(({ settings }) => settings.report, 'device', 'patient'),
  'stores.update': act(({ stores }) => stores.update),
  'bills.put': act(({ bills }) => bills.put),
  'payments.record': act(({ payments }) => payments.record, 'payment'),
  'outbox.nextNumber': act(({ outbox }) => outbox.nextNumber, 'device'),
  'outbox.take': act(({ outbox }) => outbox.take, 'payment', 'device'),
  'outbox.markSent': act(({ outbox }) => outbox.markSent, 'payment', 'device'),
  'outbox.recordAck': act(({ outbox }) => outbox.recordAck, 'payment', 'device', 'patient'),
  'outbox.expire': act(({ outbox }) => outbox.expire, 'long'),
  'outbox.clockSetBack': act(({ outbox }) => outbox.clockSetBack, 'long'),
  'outbox.begin': act(({ outbox }) => outbox.begin, 'long'),
  'outbox.leave': act(({ outbox }) => outbox.leave, 'device', 'patient'),
  'outbox.markMissedShown': act(({ outbox }) => outbox.markMissedShown, 'long'),
  'events.addTest': act(({ events }) => events.addTest),
  'webhooks.add': act(({ webhooks }) => webhooks.add),
  'webhooks.change': act(({ webhooks }) => webhooks.change),
  'webhooks.remove': act(({ webhooks }) => webhooks.remove),
  'webhooks.rotate': act(({ webhooks }) => webhooks.rotate),
  'webhooks.replay': act(({ webhooks }) => webhooks.replay),
  'webhooks.replayRange': act(({ webhooks }) => webhooks.replayRange),
  'webhookQueue.store': act(({ webhookQueue }) => webhookQueue.store, 'long'),
  'idempotency.keep': act(({ idempotency }) => idempotency.keep, 'buffers'),
  'retention.prunePayments': act(({ retention }) => retention.prunePayments),
  'retention.forgetDeleted': act(({ retention }) => retention.forgetDeleted),
  'retention.pruneEvents': act(({ retention }) => retention.pruneEvents),
  'retention.pruneCodes': act(({ retention }) => retention.pruneCodes),
  'retention.pruneTokens': act(({ retention }) => retention.pruneTokens),
  'retention.pruneIdempotencyKeys': act(({ retention }) => retention.pruneIdempotencyKeys),
  'retention.pruneAudit': act(({ retention }) => retention.pruneAudit),
  'retention.noteClock': act(({ retention }) => retention.noteClock),
}

export type ActName = keyof typeof ACTS
export type WritingActs = { [N in ActName]: ReturnType<(typeof ACTS)[N]['of']> }

/** In the order of the table. */
const NAMES = Object.keys(ACTS) as ActName[]

export function actsThat(have: Trait): ReadonlySet<ActName> {
  return new Set(NAMES.filter((name) => ACTS[name].traits.includes(have)))
}

/** The acts of a storage. */
export function writingActs(storage: Storage): WritingActs {
  // Each name has the act of its own line.
  return Object.fromEntries(NAMES.map((name) => [name, ACTS[name].of(storage)])) as WritingActs
}

type PortName<N> = N extends `${infer P}.${string}` ? P : never

/** The writing methods of the ports. */
export type WritingPorts = {
  [P in PortName<ActName>]: { [N in ActName as N extends `${P}.${infer M}` ? M : never]: WritingActs[N] }
}

/** Carries out an act elsewhere. */
export type CallAct = <A extends ActName>(
  act: A,
  args: Parameters<WritingActs[A]>,
) => Promise<Awaited<ReturnType<WritingActs[A]>>>

/** The writing methods of the ports, each carried out by `call`. */
export function writingPorts(call: CallAct): WritingPorts {
  const ports: Record<string, Record<string, unknown>> = {}
  for (const name of NAMES) {
    const [port = '', method] = name.split('.')
    if (method === undefined) continue
    ports[port] = {
      ...ports[port],
      [method]: (...args: Parameters<WritingActs[typeof name]>) => call(name, args),
    }
  }
  // The names say which port has which method.
  return ports as WritingPorts
}
