import { request } from 'node:http'
import { expect, it } from 'vitest'
import { startTestHub } from '../support/hub.ts'

/** The status of a path for a browser that believes to be at another host. */
function statusOf(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
    sent.on('error', reject).end()
  })
}

it("the operator's port answers no page whose name leads to it for a moment", async () => {
  const { admin, http } = await startTestHub({ env: { HUB_ADMIN_NAMES: 'Hub, hub.example.com' } })
  for (const host of ['evil.example', 'evil.example:8081', '127.0.0.1.evil.example', 'a.hub'])
    for (const path of ['/metrics', '/readyz', '/healthz', '/nowhere'])
      expect([host, path, await statusOf(admin + path, host)]).toEqual([host, path, 421])
  for (const host of ['127.0.0.1', '[::1]:8081', 'localhost:8081', '10.0.0.1', 'hub:8081', 'HUB.example.com'])
    expect([host, await statusOf(`${admin}/metrics`, host)]).toEqual([host, 200])
  // Partners ask by any name.
  expect(await statusOf(`${http}/healthz`, 'evil.example')).toBe(200)
})
