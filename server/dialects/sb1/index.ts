import { deriveKeys, proofOf } from '../../../protocol/keys.ts'
import type { Dialect } from '../../delivery/dialect.ts'
import { admit, loginHash, maySubscribe, verify } from './connect.ts'
import { hear } from './hear.ts'
import { HIGHEST_CREDIBLE_NUMBER, rules } from './limits.ts'
import { writeFrame } from './write.ts'

/** The protocol sb/1 on the hub's side. Its clauses are in protocol/README.md. */
export const sb1: Dialect = {
  admit,
  verify,
  loginHash,
  proofOfKey: proofOf,
  maySubscribe,
  rules,
  highestCredibleNumber: HIGHEST_CREDIBLE_NUMBER,

  codec({ serial, sessionId }, key) {
    const { up: upKey, down: downKey } = deriveKeys(key)
    // A copy: the session keeps it, and 32 bytes of Node's pool of buffers would keep all 64 kB of that pool.
    const deviceKey = new Uint8Array(key)
    const party = { serial, sessionId, upKey, downKey, deviceKey }
    return {
      read: (packet) => hear(party, packet),
      write: (sending, now, bufferBytes) => writeFrame(party, sending, now, bufferBytes),
    }
  },
}
