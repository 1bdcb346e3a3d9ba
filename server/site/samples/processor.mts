// Reports payments until the hub has them, by the table "After a callback". A payment is a file in the folder outbox, from
// before its first report until a 200. So nothing is lost when this program, the hub or the network fails.
// To store payments, a JSON object in each line:  node processor.mts keep < payments.jsonl
// To report them, in one process, for ever:       node processor.mts
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { isHubError, isTemporary } from 'soundbox-hub-client'
import { hub } from './hub.mts'

const OUTBOX = 'outbox'
/** For a person. To report one again, move its file back. */
const STOPPED = 'stopped'

/** Stores a payment. When it resolves, the payment survives a crash. */
async function keep(line: string) {
  const name = `${OUTBOX}/${Date.now()}-${randomUUID()}`
  const file = await open(`${name}.new`, 'wx')
  await file.writeFile(JSON.stringify(JSON.parse(line)))
  await file.sync()
  await file.close()
  await rename(`${name}.new`, `${name}.json`)
}

async function run() {
  for (;;) {
    const names = (await readdir(OUTBOX)).filter((name) => name.endsWith('.json')).sort()
    for (const name of names) {
      try {
        // It signs, renews the token, and sends again for a minute, as the table says.
        await hub.reportPayment(JSON.parse(await readFile(`${OUTBOX}/${name}`, 'utf8')))
        await unlink(`${OUTBOX}/${name}`)
        console.log('reported', name)
      } catch (error) {
        if (isTemporary(error)) {
          // It stays, and keeps no other one back.
          console.error('later:', name, error)
          continue
        }
        // Anything but a refusal of this payment ends the program: all others stay in the outbox.
        if (!isHubError(error) || error.operation !== 'reportPayment') throw error
        await rename(`${OUTBOX}/${name}`, `${STOPPED}/${name}`)
        console.error('ALERT: stopped', name, error)
      }
    }
    await sleep(200)
  }
}

for (const folder of [OUTBOX, STOPPED]) await mkdir(folder, { recursive: true })
if (process.argv[2] === 'keep') for await (const line of createInterface(process.stdin)) await keep(line)
else await run()
