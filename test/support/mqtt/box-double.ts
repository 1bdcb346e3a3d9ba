import { createHash } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { labelHash } from '../../../server/devices/label.ts'
import type { Profile } from '../../../server/dialects/profile/schema.ts'
import type { Connection } from '../../../server/mqtt/connection.ts'
import type { Gate } from '../../../server/mqtt/gate.ts'
import type { Ids } from '../../../server/platform/ids.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { OPERATOR } from '../actors.ts'
import { settle } from '../clock.ts'
import { parseJson } from '../parse-json.ts'
import { readPackets } from './packets.ts'

const PASSWORD = 'the password of the box'

/** A box of another maker at the real gate, without a socket between. */
export interface BoxDouble {
  readonly serial: string
  /** Its printed label. */
  readonly label: string
  /** Every message that it got, oldest first. */
  readonly heard: unknown[]
  /** Whether it confirms what it gets. */
  confirms: boolean
  /** Publishes a message. */
  say(topic: string, body: object): Promise<void>
  leave(): void
}

/** Adds a box of a profile and connects it. It is ready a second later. `document`: for a profile that does not ship. */
export async function createBoxDouble(
  { storage, gate, ids, at }: { storage: Storage; gate: Gate; ids: Ids; at: number },
  profile: Pick<Profile, 'name' | 'dialect'>,
  serial: string,
  document?: string,
): Promise<BoxDouble> {
  const [key, label] = [ids.deviceKey(), ids.label()]
  const loginHash = createHash('sha256').update(PASSWORD).digest()
  const added = await storage.devices.mintBox(OPERATOR, {
    ...{ id: ids.uuid(), serial, key, loginHash, dialect: profile.dialect, profile: profile.name, document },
    ...{ wireId: serial, labelHash: labelHash(key, serial, label), at },
  })
  if (added !== 'added') throw new Error(`${serial}: ${added}`)
  let connection: Connection | undefined
  const heard: unknown[] = []
  const box: BoxDouble = {
    ...{ serial, label, heard, confirms: true },
    async say(topic, body) {
      const packet = { topic, qos: 0, retain: false, payload: JSON.stringify(body) }
      if (!(await connection?.publish(packet))) throw new Error(`the hub refuses a message of ${serial}`)
      await settle()
    },
    leave() {
      connection?.closed()
      connection = undefined
    },
  }
  const answer = await gate.connectBox(
    { clientId: serial, username: serial, password: Buffer.from(PASSWORD), clean: true, keepalive: 60 },
    {
      write(packets) {
        for (const packet of readPackets(packets)) {
          if (packet.cmd !== 'publish') continue
          heard.push(parseJson(packet.payload.toString()))
          if (box.confirms) setImmediate(() => connection?.confirmed(packet.messageId))
        }
        return true
      },
      whenDrained: () => undefined,
      expect: () => undefined,
      address: '127.0.0.1',
      close: () => box.leave(),
      reset: () => box.leave(),
    },
  )
  if ('why' in answer) throw new Error(`${serial} may not connect: ${answer.why}`)
  connection = answer
  connection.subscribe({ topic: '#', qos: 1 })
  onTestFinished(() => box.leave())
  return box
}
