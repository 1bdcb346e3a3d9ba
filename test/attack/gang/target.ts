import { z } from 'zod'

/** `isSecure`: TLS comes before anything else. */
const listener = z.object({ host: z.string(), port: z.number(), isSecure: z.boolean() })
export type Listener = z.infer<typeof listener>

const device = z.object({ serial: z.string(), terminalID: z.string(), key: z.base64() })
export type TargetDevice = z.infer<typeof device>

/** What the attackers know: the hub's addresses, the victim's names, and whatever belongs to their own partner. */
export const target = z.object({
  http: listener,
  mqtt: listener,
  /** MQTT over TLS. */
  mqtts: listener,
  victim: z.object({ clientId: z.string(), serial: z.string() }),
  /** Another partner of the same hub. */
  neighbour: z.object({
    token: z.string(),
    clientSecret: z.string(),
    terminals: z.array(z.string()).min(1),
    /** Its speakers without a backlog. */
    devices: z.array(device).min(1),
    /** Its speakers that have missed many payments. */
    backlogged: z.array(device),
  }),
})
export type Target = z.infer<typeof target>

/** Sent to the attackers' process. Its answer is a `Tally`. */
export const order = z.object({
  attacks: z.array(z.string()),
  seconds: z.number(),
  seed: z.number(),
  target,
})
export type Order = z.infer<typeof order>

/** How often each thing was done or answered. */
export const tally = z.record(z.string(), z.number())
export type Tally = z.infer<typeof tally>
