import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { connectAsync } from 'mqtt'
import { z } from 'zod'
import { canonicalString, type SignedFields } from '../../../../server/payments/canonical-string.ts'
import { sign } from '../../../../server/payments/checksum.ts'

/*
 * What both peers do alike: the token, the signature, and MQTT. A peer does less than the hub: no MAC and no sealing for
 * devices, one ack instead of two, no resends, no totals, no bills.
 */

const environment = z.object({
  PEER_SECRET: z.string(),
  PEER_TOKEN: z.string(),
  PEER_DATABASE: z.url(),
  PEER_MQTT: z.url(),
})

/** The settings of a peer, from its environment. */
export function readSettings(env: NodeJS.ProcessEnv) {
  const { PEER_SECRET, PEER_TOKEN, PEER_DATABASE, PEER_MQTT } = environment.parse(env)
  return { secret: PEER_SECRET, token: PEER_TOKEN, database: PEER_DATABASE, mqtt: PEER_MQTT }
}

export const OK = { code: 20000, message: 'OK' }
export const UNAUTHORIZED = { code: 40100, message: 'The token is not valid.' }
export const WRONG_SIGNATURE = { code: 40102, message: 'The checksum is wrong.' }

/** Tokens are kept as hashes. */
export function createTokens(...tokens: string[]): (authorization: string | undefined) => boolean {
  const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
  const known = new Set(tokens.map(hashOf))
  return (authorization = '') =>
    authorization.startsWith('Bearer ') && known.has(hashOf(authorization.slice('Bearer '.length)))
}

export type Callback = SignedFields & { checkSum: string }

export function isSigned(callback: Callback, secret: string): boolean {
  const received = Buffer.from(callback.checkSum, 'hex')
  const digest = sign(secret, canonicalString(callback))
  return received.length === digest.length && timingSafeEqual(received, digest)
}

/** A payment is known by its bank and the bank's code. */
export function dedupeKeyOf({ bankCode, ftCode }: Callback): string {
  return `${bankCode}:${ftCode}`
}

export interface Announcement {
  id: string
  serial: string
  amount: string
}

/** Publishes announcements at QoS 1, and stores the acks of devices. */
export async function openDownlink(url: string, storePlayed: (id: string) => Promise<unknown>) {
  const client = await connectAsync(url)
  const stored = createTally()
  client.on('message', async (_, payload) => {
    const { id }: { id: string } = JSON.parse(payload.toString())
    await storePlayed(id)
    stored.add()
  })
  await client.subscribeAsync('devices/+/ack', { qos: 1 })
  return {
    announce({ id, serial, amount }: Announcement) {
      const message = { t: 'announce', id, amount, text: `Da nhan ${amount} dong` }
      client.publish(`devices/${serial}/down`, JSON.stringify(message), { qos: 1 })
    },
  }
}

/** Answers the bench as soon as so many acks are stored. */
function createTally() {
  let count = 0
  let wanted = Number.POSITIVE_INFINITY
  const answer = () => {
    if (count < wanted) return
    wanted = Number.POSITIVE_INFINITY
    process.send?.({ count })
  }
  process.on('message', (message) => {
    wanted = z.object({ played: z.number() }).parse(message).played
    answer()
  })
  return {
    add() {
      count += 1
      answer()
    },
  }
}

/** Tells the bench where this service listens. */
export async function tellUrl(url: string) {
  process.send?.({ url })
  await once(process, 'disconnect')
  process.exit()
}
