import { ask, callback } from '../gang/requests.ts'
import { type Attack, anyAddress } from '../gang/round.ts'

const CLIENTS = 400

export const noisyNeighbour: Attack = (target, round) => {
  const { terminals } = target.neighbour
  const run = round.random()
  let sent = 0
  const request = () => {
    sent += 1
    const terminalID = terminals[sent % terminals.length] ?? ''
    return callback(target, { terminalID, ftCode: `NOISE${run}-${sent}` })
  }
  return ask(round, target.http, { clients: CLIENTS, gapMs: 0, from: anyAddress, request })
}
