import { createServer } from 'node:net'
import { Aedes } from 'aedes'

/** The baseline for the hub's broker: bare Aedes. Prints its address when it listens. */
const broker = await Aedes.createBroker()
const server = createServer({ noDelay: true }, broker.handle)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.stdout.write(`mqtt://127.0.0.1:${address.port}\n`)
})
