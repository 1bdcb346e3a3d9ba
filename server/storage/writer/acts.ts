import type { Storage, StoragePorts } from '../ports.ts'

/**
 * The acts that write, by their ports. They run in the writer's thread; all other methods of the ports only read, and
 * run in the hub's thread. There a forgotten act fails: its connection can only read.
 */
const WRITING = {
  partners: ['create', 'disable', 'enable', 'rotateSecret'],
  tokens: ['start', 'rotate'],
  devices: [
    ...(['mint', 'revoke', 'register', 'unregister', 'setActive', 'recordBirth'] as const),
    ...(['askIdentify', 'takeIdentifyRequests', 'recordIdentified'] as const),
  ],
  codes: ['issue'],
  settings: ['change', 'report', 'catchUp'],
  stores: ['update'],
  bills: ['put'],
  payments: ['record'],
  outbox: [
    ...(['nextNumber', 'markSent', 'recordAck', 'expire', 'clockSetBack', 'reconcile'] as const),
    'markMissedShown',
  ],
  idempotency: ['keep'],
  retention: ['prunePayments', 'pruneCodes', 'pruneIdempotencyKeys'],
} as const satisfies { [P in keyof StoragePorts]: readonly (keyof StoragePorts[P])[] }

type Writing = typeof WRITING
type Port = keyof Writing

/** An act by its port and its method, for instance `payments.record`, or the storage's `ping`. */
export type ActName = { [P in Port]: `${P}.${Writing[P][number]}` }[Port] | 'ping'

type Act = (...args: unknown[]) => Promise<unknown>

/** The acts that a storage carries out, by their names. */
export function writingActs(storage: Storage): Record<ActName, Act> {
  const acts = Object.entries(WRITING).flatMap(([port, methods]) =>
    methods.map((method) => [`${port}.${method}`, storage[port as Port][method as never]]),
  )
  return { ping: storage.ping, ...Object.fromEntries(acts) }
}

export type CallAct = (act: ActName, args: unknown[]) => Promise<unknown>

/** The ports, with `call` in place of every act that writes. */
export function withWritingActs(ports: StoragePorts, call: CallAct): StoragePorts {
  const replaced = Object.entries(WRITING).map(([port, methods]) => {
    const acts = methods.map((method): [string, Act] => {
      return [method, (...args) => call(`${port}.${method}` as ActName, args)]
    })
    return [port, { ...ports[port as Port], ...Object.fromEntries(acts) }]
  })
  // `call` takes the arguments of the method that it replaces, and resolves with its result.
  return Object.fromEntries(replaced) as StoragePorts
}

/** The acts of a payment. JSON carries their arguments and results unchanged, except that it drops undefined properties. */
export const PAYMENT_ACTS: ReadonlySet<ActName> = new Set<ActName>([
  'payments.record',
  'outbox.markSent',
  'outbox.recordAck',
])
