import { Aedes, type AedesOptions, type Client, type PublishPacket } from 'aedes'

type Done = (error?: Error) => void

/**
 * The persistence of Aedes: it keeps nothing. It has the methods that Aedes calls for clean sessions.
 *
 * Why: the default one builds streams for each connect, to look for retained messages and for packets of an older
 * session. To connect and subscribe in memory takes 410 µs with these streams and the messages that `DirectAedes` leaves
 * out, 190 µs without both (the client's side included).
 */
const keepsNothing = (confirmed: Confirmed) => ({
  async setup() {},
  async cleanSubscriptions() {},
  async cleanIncoming() {},
  async putWill() {},
  async delWill() {},
  streamWill: () => [],
  outgoingStream: () => [],
  createRetainedStreamCombi: () => ({ pipe() {} }),
  // Aedes calls this for each PUBACK.
  async outgoingClearMessageId(client: Client, { messageId }: { messageId: number }) {
    confirmed(client, messageId)
  },
  async incomingGetPacket() {},
})

type Confirmed = (client: Client, messageId: number) => void

/**
 * Aedes without routes between its clients: a client gets what is published to it, and nothing else.
 *
 * Why: devices speak to the hub alone, which takes in what they say as it authorises it, and a command goes to one
 * client. To look for subscribers of an ack took 5 % of the MQTT side, their subscriptions 7 % of a connect and 4 % of
 * the memory for a speaker. Nobody listens to the messages of the broker itself either.
 */
class DirectAedes extends Aedes {
  override publish(_packet: PublishPacket, from: Client | null | Done, done?: Done) {
    const published = typeof from === 'function' ? from : done
    published?.()
  }

  // Callbacks run in a later turn, as in Aedes: `clientDisconnect` comes after the code that closes a client has ended.

  override subscribe(_topic: string, _deliver: unknown, done: () => void) {
    setImmediate(done)
  }

  override unsubscribe(_topic: string, _deliver: unknown, done?: () => void) {
    if (done) setImmediate(done)
  }
}

export async function createDirectAedes(
  options: AedesOptions,
  confirmed: Confirmed = () => undefined,
): Promise<Aedes> {
  const aedes = new DirectAedes({ ...options, persistence: keepsNothing(confirmed) })
  await aedes.listen()
  return aedes
}
