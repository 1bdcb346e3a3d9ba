/** Another hub that beat when this one read of it last. */
export interface Peer {
  /** Of its start. */
  id: string
  /** Where it answers partners, such as http://10.0.0.1:8080. */
  address: string
}

/** The header in which a hub says at `/readyz` which one it is. */
export const HUB_HEADER = 'X-Hub-Id'

const ANSWER_TIMEOUT_MS = 2_000
const ASKED_AT_ONCE = 5

/**
 * A question to other hubs: whether one of them says that it is ready. Each call asks the next ones of the list, because
 * the first ones may be cut off, too.
 */
export function createPeerQuestion(answerWithinMs = ANSWER_TIMEOUT_MS) {
  let turn = 0

  return async function isAnyReady(peers: readonly Peer[]): Promise<boolean> {
    const first = peers.length > ASKED_AT_ONCE ? (turn * ASKED_AT_ONCE) % peers.length : 0
    turn += 1
    const asked = [...peers.slice(first), ...peers.slice(0, first)].slice(0, ASKED_AT_ONCE)
    const answers = await Promise.all(asked.map((peer) => isReady(peer, answerWithinMs)))
    return answers.includes(true)
  }
}

/**
 * Reads no body, and follows no redirect. Something else may answer at the address, this hub itself among it: an address
 * of the loopback interface means another machine here than there. So the answer must name the hub.
 */
async function isReady({ id, address }: Peer, answerWithinMs: number): Promise<boolean> {
  if (!isHttp(address)) return false
  try {
    const signal = AbortSignal.timeout(answerWithinMs)
    const answer = await fetch(new URL('/readyz', address), { redirect: 'error', signal })
    await answer.body?.cancel()
    return answer.ok && answer.headers.get(HUB_HEADER) === id
  } catch {
    return false
  }
}

/** An address that another hub has stored, and that this one may ask. */
function isHttp(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}
