import { ask, callback } from '../gang/requests.ts'
import { type Attack, anyAddress } from '../gang/round.ts'

const CLIENTS = 64
const GAP_MS = 20

/** The longest notice, full of characters that the recipes of a wrong checksum write differently. */
const NOTICE = "ơ ~*!'()".repeat(64)

export const wrongChecksums: Attack = (target, round) => {
  const [terminalID = ''] = target.neighbour.terminals
  let sent = 0
  const requests = [
    () =>
      callback(target, { terminalID, ftCode: `WRONG${sent}`, notice: NOTICE }, { checkSum: '0'.repeat(64) }),
    // The same payment with another amount each time: 40018 but for the first.
    () => callback(target, { terminalID, ftCode: 'CONFLICT', transactionAmount: String(10_000 + sent) }),
    () => callback(target, { terminalID: `NONE${sent}`, ftCode: `NONE${sent}` }),
  ]
  const request = () => {
    sent += 1
    return (requests[sent % requests.length] ?? (() => ''))()
  }
  return ask(round, target.http, { clients: CLIENTS, gapMs: GAP_MS, from: anyAddress, request })
}
