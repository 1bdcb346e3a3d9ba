import type { Storage, StoragePorts } from '../ports.ts'

/** What the way of an act to the writer's thread depends on. */
type Trait =
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

type Named<P extends string, M extends string> = `${P}.${M}`
type PortMethod = { [P in keyof StoragePorts]: Named<P, keyof StoragePorts[P] & string> }[keyof StoragePorts]

type Act = (...args: unknown[]) => Promise<unknown>

const act = (of: (storage: Storage) => (...args: never[]) => Promise<unknown>, ...traits: Trait[]) => ({
  of,
  traits,
})

/**
 * The acts that write, each a method of a port, under which the hub's thread calls them in the writer's thread. All other
 * methods of the ports only read, and run in the hub's thread. A new act that writes needs its line here, and nothing else
 * of the writer's.
 */
const ACTS = {
  /** Stores nothing, and so waits for no lock: the thread answers unless the disk holds it up. */
  answer: act(() => async () => undefined),
  ping: act((storage) => storage.ping),
  'partners.create': act(({ partners }) => partners.create),
  'partners.disable': act(({ partners }) => partners.disable),
  'partners.enable': act(({ partners }) => partners.enable),
  'partners.rotateSecret': act(({ partners }) => partners.rotateSecret),
  'tokens.start': act(({ tokens }) => tokens.start),
  'tokens.rotate': act(({ tokens }) => tokens.rotate),
  'devices.mint': act(({ devices }) => devices.mint),
  'devices.mintBox': act(({ devices }) => devices.mintBox),
  'devices.revoke': act(({ devices }) => devices.revoke, 'long'),
  'devices.register': act(({ devices }) => devices.register),
  'devices.unregister': act(({ devices }) => devices.unregister, 'long'),
  'devices.setActive': act(({ devices }) => devices.setActive, 'long'),
  'devices.askIdentify': act(({ devices }) => devices.askIdentify),
  'devices.takeIdentifyRequests': act(({ devices }) => devices.takeIdentifyRequests),
  'devices.recordIdentified': act(({ devices }) => devices.recordIdentified, 'device'),
  'maintenance.rotate': act(({ maintenance }) => maintenance.rotate),
  'maintenance.offer': act(({ maintenance }) => maintenance.offer),
  'health.record': act(({ health }) => health.record, 'device'),
  'health.tellOffline': act(({ health }) => health.tellOffline, 'device'),
  'codes.issue': act(({ codes }) => codes.issue),
  'profiles.save': act(({ profiles }) => profiles.save),
  'keyed.key': act(({ keyed }) => keyed.key),
  'settings.change': act(({ settings }) => settings.change),
  'settings.report': act(({ settings }) => settings.report, 'device', 'patient'),
  'stores.update': act(({ stores }) => stores.update),
  'stores.indexNames': act(({ stores }) => stores.indexNames),
  'bills.put': act(({ bills }) => bills.put),
  'payments.record': act(({ payments }) => payments.record, 'payment'),
  'payments.sumUp': act(({ payments }) => payments.sumUp),
  'payments.unseal': act(({ payments }) => payments.unseal),
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
  'statements.saveProfile': act(({ statements }) => statements.saveProfile),
  'statements.begin': act(({ statements }) => statements.begin),
  'statements.hold': act(({ statements }) => statements.hold),
  'statements.addRows': act(({ statements }) => statements.addRows),
  'statements.finish': act(({ statements }) => statements.finish),
  'statements.abandon': act(({ statements }) => statements.abandon, 'long'),
  'statements.removeDead': act(({ statements }) => statements.removeDead, 'long'),
  'statements.collect': act(({ statements }) => statements.collect, 'long'),
  'statements.storeOutcomes': act(({ statements }) => statements.storeOutcomes),
  'statements.settle': act(({ statements }) => statements.settle),
  'statements.decide': act(({ statements }) => statements.decide),
  'statements.sign': act(({ statements }) => statements.sign),
  'idempotency.keep': act(({ idempotency }) => idempotency.keep),
  'operators.addLink': act(({ operators }) => operators.addLink),
  'operators.logIn': act(({ operators }) => operators.logIn),
  'operators.noteUse': act(({ operators }) => operators.noteUse),
  'operators.end': act(({ operators }) => operators.end),
  'retention.prunePayments': act(({ retention }) => retention.prunePayments),
  'retention.forgetDeleted': act(({ retention }) => retention.forgetDeleted),
  'retention.pruneEvents': act(({ retention }) => retention.pruneEvents),
  'retention.pruneCodes': act(({ retention }) => retention.pruneCodes),
  'retention.pruneTokens': act(({ retention }) => retention.pruneTokens),
  'retention.pruneIdempotencyKeys': act(({ retention }) => retention.pruneIdempotencyKeys),
  'retention.pruneAudit': act(({ retention }) => retention.pruneAudit),
  'retention.noteClock': act(({ retention }) => retention.noteClock),
} satisfies { readonly [N in PortMethod | 'answer' | 'ping']?: ReturnType<typeof act> }

export type ActName = keyof typeof ACTS

const isAct = (name: string): name is ActName => Object.hasOwn(ACTS, name)

/** The acts with a trait. */
export function actsThat(have: Trait): ReadonlySet<ActName> {
  const acts = Object.entries(ACTS).filter(([, { traits }]) => traits.includes(have))
  return new Set(acts.map(([name]) => name).filter(isAct))
}

/** Carries out an act elsewhere. */
export type CallAct = (act: ActName, args: unknown[]) => Promise<unknown>

/** The acts of a storage by their names. */
export function writingActs(storage: Storage): ReadonlyMap<string, Act> {
  // A call has the arguments of its act.
  return new Map(Object.entries(ACTS).map(([name, { of }]) => [name, of(storage) as Act]))
}

/** The same ports, whose acts are carried out by `call`. */
export function withActsBy(call: CallAct, ports: StoragePorts): StoragePorts {
  const changed = Object.entries(ports).map(([port, methods]) => {
    const acts = Object.keys(methods).flatMap((method) => {
      const name = `${port}.${method}`
      return isAct(name) ? [[method, (...args: unknown[]) => call(name, args)]] : []
    })
    return [port, { ...methods, ...Object.fromEntries(acts) }]
  })
  // Every port is replaced by one of its own shape.
  return Object.fromEntries(changed) as StoragePorts
}
