import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { pay } from '../../../../server/operate/cli/pay.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { readConfig } from '../../../../server/platform/config.ts'
import { openDataFolder } from '../../../../server/storage/sqlite/file/data-folder.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { startTestHub } from '../../../support/hub.ts'
import { listening } from '../../../support/listening.ts'

/** A hub with a partner that has no till, and the command beside it. */
async function setUp() {
  const hub = await startTestHub()
  const { clientId } = await hub.partner()
  const config = readConfig({ HUB_DATA_DIR: hub.dataDir })
  const workspace = {
    ...{ storage: hub.storage, clock: systemClock },
    ...{ config, folder: openDataFolder(hub.dataDir) },
  }
  const order = { client: clientId, terminal: 'T-01', bank: 'MB', amount: '50000' }
  return { hub, clientId, payAt: (url: string) => pay(workspace, { ...order, url }) }
}

it('says in sentences why the hub refuses a payment or a login, and what to do', async () => {
  const [{ hub, clientId, payAt }, other] = await Promise.all([setUp(), startTestHub()])
  expect(await payAt(hub.http)).toMatchObject({
    done: false,
    json: { answers: [{ status: 400, body: { code: 40016 } }] },
    text: 'The hub refuses: This store does not exist. terminalID: is not the terminal of a store of yours. (40016)',
  })
  expect(await payAt(other.http)).toMatchObject({
    done: false,
    json: { status: 401, body: { code: 40103 } },
    text: 'The hub refuses: The client id or client secret is wrong. Compare the client id with hub partner list; hub partner rotate-secret makes another secret. If both are right, the hub runs on another database. (40103)',
  })
  await hub.storage.partners.disable(OPERATOR, clientId, Date.now())
  expect(await payAt(hub.http)).toMatchObject({
    done: false,
    text: 'The hub refuses: This client is disabled. hub partner enable lets it in again. (40106)',
  })
})

it('names the pause that a busy hub asks for, and says when it is no hub', async () => {
  const { payAt } = await setUp()
  const answers = [
    { status: 503, body: '{"code":50300,"message":"Not now."}', headers: { 'Retry-After': '7' } },
    { status: 200, body: '<html>', headers: {} },
  ]
  const server = createServer((_, response) => {
    const { status = 500, headers = {}, body = '' } = answers.shift() ?? {}
    response.writeHead(status, headers).end(body)
  })
  const url = `http://${await listening(server)}`
  expect((await payAt(url)).text).toBe('The hub refuses: Not now. Retry-After is 7 s. (50300)')
  expect((await payAt(url)).text).toBe(
    "What answers is no hub (status 200): give the hub's address with --url.",
  )
})
