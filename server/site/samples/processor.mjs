// Reports payments until the hub has them, by the table "After a callback". A payment is a file in the folder outbox, from
// before its first report until a 200. So nothing is lost when this program, the hub or the network fails.
// To store payments, a JSON object in each line:  node processor.mjs keep < payments.jsonl
// To report them, in one process, for ever:       node processor.mjs
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { checksum, send } from './hub.mjs'

const OUTBOX = 'outbox'
/** For a person. To report one again, move its file back. */
const STOPPED = 'stopped'

/** What the table says about an answer: 'stop', 'renew', or 'wait', for `seconds` or for a growing pause. */
class Verdict extends Error {
  constructor(next, why, seconds) {
    super(why)
    this.next = next
    this.seconds = seconds
  }
}

/** Stores a payment. When it resolves, the payment survives a crash. */
async function keep(payment) {
  const name = `${OUTBOX}/${Date.now()}-${randomUUID()}`
  const file = await open(`${name}.new`, 'wx')
  await file.writeFile(JSON.stringify(payment))
  await file.sync()
  await file.close()
  await rename(`${name}.new`, `${name}.json`)
}

/** Sends a request once. Resolves with the hub's answer, or rejects with what the table says about it. */
async function ask(path, body, token) {
  let response
  let text
  try {
    response = await send(path, body, { token })
    text = await response.text()
  } catch (error) {
    throw new Verdict('wait', `no answer: ${error.message}`)
  }
  const { status } = response
  const answer = parsed(text)
  if (status === 200 && answer) return answer
  if (answer?.code === 40101 || answer?.code === 40102) throw new Verdict('renew', text)
  // Of a login: the secret is wrong, because the right one is never refused.
  if (answer?.code === 42902) throw new Verdict('stop', text)
  // A 200 without JSON is not the hub's, or only a part of its answer.
  if ([200, 408, 429].includes(status) || status >= 500) {
    const after = response.headers.get('Retry-After') ?? ''
    throw new Verdict('wait', `${status} ${text}`, /^\d+$/.test(after) ? Number(after) : null)
  }
  throw new Verdict('stop', `${status} ${text}`)
}

/** The JSON object in a text; null when there is none. */
function parsed(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

let token
let renewAt = 0

async function login() {
  try {
    const answer = await ask('/auth/token', { clientId: '{{CLIENT_ID}}', clientSecret: '{{CLIENT_SECRET}}' })
    token = answer.accessToken
    renewAt = Date.now() + 900 * answer.expiresIn
  } catch (error) {
    if (error.next === 'wait') throw error
    // No payment is at fault: all stay in the outbox.
    console.error('no token:', error.message)
    process.exit(1)
  }
}

async function report(payment) {
  // Signed anew each time, because the secret may have changed. The fields stay as they are.
  const signed = { ...payment, checkSum: checksum(payment, '{{CLIENT_SECRET}}') }
  if (Date.now() >= renewAt) await login()
  try {
    await ask('/payment/callback', signed, token)
  } catch (error) {
    if (error.next !== 'renew') throw error
    await login()
    await ask('/payment/callback', signed, token)
  }
}

/** Seconds: 0.2 to 15, and spread, so that programs which fail together do not come back together. */
const pause = (failures) => Math.min(0.2 * 2 ** (failures - 1), 15) * (1 - Math.random() / 2)

async function run() {
  let failures = 0
  for (;;) {
    const names = (await readdir(OUTBOX)).filter((name) => name.endsWith('.json')).sort()
    // One that fails waits for the next round: it keeps no other one back.
    for (const name of names) {
      const payment = JSON.parse(await readFile(`${OUTBOX}/${name}`, 'utf8'))
      try {
        await report(payment)
        await unlink(`${OUTBOX}/${name}`)
        failures = 0
        console.log('reported', payment.ftCode)
      } catch (error) {
        if (!(error instanceof Verdict)) throw error
        if (error.next === 'wait') {
          failures += 1
          const seconds = error.seconds ?? pause(failures)
          console.error(`again in ${seconds.toFixed(1)} s:`, error.message)
          await sleep(seconds * 1_000)
        } else {
          // A new token that is refused as well is a matter for a person, too.
          await rename(`${OUTBOX}/${name}`, `${STOPPED}/${name}`)
          console.error('ALERT: stopped', name, error.message)
        }
      }
    }
    await sleep(200)
  }
}

for (const folder of [OUTBOX, STOPPED]) await mkdir(folder, { recursive: true })
if (process.argv[2] === 'keep')
  for await (const line of createInterface(process.stdin)) await keep(JSON.parse(line))
else await run()
