import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { SHOWN } from '../../../../server/console/live/look.ts'
import { startTestHub } from '../../../support/hub.ts'
import { createShop, payWell } from '../../storage/shop.ts'
import { viewerOf } from './viewer.ts'

/** Of the page with all that it needs before it can be used. */
const MOST_BYTES = 50_000

/** A body as it is sent to a browser. */
async function sentTo(url: string, cookie: string): Promise<Buffer> {
  const headers = { cookie, 'accept-encoding': 'gzip, deflate, br, zstd' }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).on('error', reject)
  })
  expect([url, answer.headers['content-encoding']]).toEqual([url, 'gzip'])
  return Buffer.concat(await answer.toArray())
}

it('is loaded for the first time with less than 50 kB, with fifty payments that are played', async () => {
  const hub = await startTestHub()
  const shop = createShop(hub.storage)
  const clientId = await shop.partner()
  const { deviceId } = await shop.speaker(clientId)
  const at = Date.now() - 5_000
  for (let n = 0; n < SHOWN; n += 1) {
    const id = shop.ids.uuid()
    await payWell(shop, clientId, { id, ftCode: id, amount: String(216_000 + n), receivedAt: at + n })
    const [asked] = await hub.storage.outbox.open(deviceId, at)
    const step = {
      announcementId: asked?.id ?? '',
      commandNumber: asked?.n ?? 0,
      deviceId,
      reason: undefined,
    }
    for (const stage of ['received', 'played'] as const)
      await hub.storage.outbox.recordAck({ ...step, stage }, at + 40 * n)
  }
  const { cookie } = await viewerOf(hub)
  const page = await sentTo(`${hub.admin}/`, cookie)
  const html = gunzipSync(page).toString()
  expect(html.match(/<tr id="p/g)).toHaveLength(SHOWN)
  expect(html.match(/class="lit played"/g)).toHaveLength(SHOWN)
  const paths = new Set([...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path))
  expect([...paths].toSorted()).toEqual(
    ['console.css', 'console.js', 'icon.svg', 'line.css'].map((name) => `/assets/${name}`),
  )
  const sizes = [
    page,
    ...(await Promise.all([...paths].map((path) => sentTo(hub.admin + path, cookie)))),
  ].map(({ length }) => length)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MOST_BYTES)
})
