import { readFileSync } from 'node:fs'
import { request as ask, createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { webhookHeaders } from '../../../../server/webhooks/sign.ts'
import { CLIENT_NAME, PATIENT, packedClient } from '../../../support/clients/packed-client.ts'
import { startTestHub } from '../../../support/hub.ts'
import { listenOnFreePort } from '../../../support/listen.ts'
import { findChromium, launchChromium, NO_BROWSER, openPage } from '../../../support/processes/browser.ts'

const WORKER = `
import { HubClient, isHubError, verifyWebhook } from '/client/index.js'
onmessage = async ({ data: { credentials, delivery } }) => {
  try {
    const hub = new HubClient({${PATIENT} url: location.origin, ...credentials })
    const stores = []
    for await (const store of hub.stores()) stores.push(store)
    const code = await hub.getStore('none').catch((error) => isHubError(error, 40402) && error.code)
    const payment = { terminalID: 'T-01', transactionAmount: '1', payDate: '2026-01-15', ftCode: 'FT-1' }
    const refused = await hub.reportPayment(payment).catch((error) => error.code)
    const event = await verifyWebhook(delivery.headers, delivery.body, delivery.secret)
    postMessage({ stores, code, refused, type: event.type })
  } catch (error) {
    postMessage(String(error))
  }
}
`

/** Serves a page beside a hub, as a proxy does: the client's files, and the hub behind all other paths. */
async function besideHub(hub: string): Promise<string> {
  const files = join(await packedClient(), 'node_modules', CLIENT_NAME, 'dist')
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request
    const js = { 'Content-Type': 'text/javascript' }
    if (url === '/page') response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>')
    else if (url === '/worker.js') response.writeHead(200, js).end(WORKER)
    else if (url.startsWith('/client/'))
      response.writeHead(200, js).end(readFileSync(join(files, url.slice('/client/'.length))))
    else {
      const onward = ask(hub + url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      request.pipe(onward.on('error', () => response.destroy()))
    }
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${await listenOnFreePort(server)}`
}

it('the client works in a worker of a browser', async ({ skip }) => {
  const chromium = findChromium()
  skip(chromium === undefined, NO_BROWSER)
  const hub = await startTestHub()
  const credentials = await hub.partner()
  const secret = createRandomIds().webhookSecret()
  const body = JSON.stringify({ id: 'evt_1', type: 'webhook.test', data: {} })
  const headers = webhookHeaders([secret], { id: 'evt_1', at: Date.now(), body })
  const browser = await launchChromium(chromium ?? '', onTestFinished)
  const { page } = await openPage(browser)
  await page.goto(`${await besideHub(hub.http)}/page`)
  const given = JSON.stringify({ credentials, delivery: { headers, body, secret } })
  const answer = await page.evaluate(`new Promise((resolve) => {
    const worker = new Worker('/worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => resolve(message)
    worker.postMessage(${given})
  })`)
  // The checksum is right: what is missing is the store.
  expect(answer).toEqual({ stores: [], code: 40402, refused: 40016, type: 'webhook.test' })
})
