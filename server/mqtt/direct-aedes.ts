import { Aedes, type AedesOptions, type Client, type PublishPacket } from 'aedes'

type Done = (error?: Error) => void

/**
 * Aedes without ways between its clients: a client hears what is published to it, and nothing else.
 *
 * Why: devices speak to the hub alone, which has taken in what they say as it was authorised, and a command goes to one
 * client. To look for those who might want to hear an ack took 5 % of the MQTT side, their subscriptions 7 % of a
 * connect and 4 % of what a speaker holds of memory.
 */
class DirectAedes extends Aedes {
  /** What the broker tells itself goes its way: by its heartbeat it knows its clients' wills for its own. */
  override publish(packet: PublishPacket, from: Client | null | Done, done?: Done) {
    if (typeof from === 'function') super.publish(packet, from)
    else done?.()
  }

  // Answered later, as by Aedes: who closes a client is not at once told that it has gone.

  override subscribe(_topic: string, _deliver: unknown, done: () => void) {
    setImmediate(done)
  }

  override unsubscribe(_topic: string, _deliver: unknown, done?: () => void) {
    if (done) setImmediate(done)
  }
}

export async function createDirectAedes(options: AedesOptions): Promise<Aedes> {
  const aedes = new DirectAedes(options)
  await aedes.listen()
  neverLookForSent(aedes)
  return aedes
}

/** What a client confirms was not sent by Aedes, which would look for it in a list that it keeps for each client. */
function neverLookForSent(aedes: Aedes) {
  // Aedes has what it keeps here, and does not tell its type.
  const { persistence } = aedes as unknown as {
    persistence: { outgoingClearMessageId(): Promise<void> }
  }
  persistence.outgoingClearMessageId = () => Promise.resolve()
}
