import { encode } from 'uqr'
import { expect, it } from 'vitest'
import { deviceAdd } from '../../../../server/operate/cli/device.ts'
import { drawQr, linkTrouble } from '../../../../server/operate/cli/device-link.ts'
import { hubAddress } from '../../../../server/operate/cli/hub-address.ts'
import { readConfig } from '../../../../server/platform/config.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { openDataFolder } from '../../../../server/storage/sqlite/file/data-folder.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi } from '../../../support/api.ts'
import { temporaryFolder } from '../../../support/folder.ts'

/** A workspace under these settings, and `running`, which starts a hub at an address. */
function setUp(env: Record<string, string> = {}) {
  const { storage, clock } = createTestApi()
  const folder = openDataFolder(temporaryFolder())
  const running = (http: string) => folder.writeAddresses({ pid: process.pid, http })
  return { by: OPERATOR, storage, clock, ids: createRandomIds(), config: readConfig(env), folder, running }
}

/** The rows of modules in a drawing, dark ones true: what is white on black is light. */
function modulesOf(drawing: string): boolean[][] {
  return drawing.split('\n').flatMap((line) => {
    const [, row = ''] = /^\u001b\[38;5;231;48;5;16m([ ▀▄█]+)\u001b\[0m$/.exec(line) ?? []
    return ['▀█', '▄█'].map((light) => [...row].map((character) => !light.includes(character)))
  })
}

it('prints a link and its QR for one device, and both are of the key that is shown', async () => {
  const workspace = setUp()
  const { json, text, drawing = '', done } = await deviceAdd(workspace, { serial: 'SB-0001', link: true })
  const { key, link } = Object(json)
  expect([done, key]).toEqual([true, expect.stringMatching(/^[\w-]{43}$/)])
  expect(link).toBe(`http://127.0.0.1:8080/speaker#serial=SB-0001&key=${key}`)
  expect(text).toContain(`\n  link    ${link}\nNo other machine reaches 127.0.0.1: `)
  const { data } = encode(link, { ecc: 'L', border: 2 })
  const modules = modulesOf(drawing)
  expect(modules.slice(0, data.length)).toEqual(data)
  expect(data.slice(0, 2).flat()).not.toContain(true)
  expect(drawing.split('\n').length).toBeLessThanOrEqual(23)
})

it('prints the links alone for many devices, and nothing new without --link', async () => {
  const workspace = setUp()
  const many = await deviceAdd(workspace, { count: 2, prefix: 'TAB-', link: 'https://hub.example' })
  const links = Object.values(many.json).map(({ link }) => link)
  expect(links[1]).toMatch(/^https:\/\/hub\.example\/speaker#serial=TAB-00002&key=[\w-]{43}$/)
  expect([many.text, many.drawing]).toEqual([links.join('\n'), undefined])
  const plain = await deviceAdd(workspace, { serial: 'SB-0001' })
  expect([Object.keys(plain.json), plain.drawing]).toEqual([['serial', 'key'], undefined])
  const taken = await deviceAdd(workspace, { serial: 'SB-0001', link: true })
  expect([taken.done, taken.drawing]).toEqual([false, undefined])
})

it.each([
  [{}, undefined, 'http://127.0.0.1:8080'],
  [{ HUB_HTTP_PORT: '80' }, undefined, 'http://127.0.0.1'],
  [{ HUB_HOST: '10.0.0.7' }, undefined, 'http://10.0.0.7:8080'],
  [{ HUB_HOST: '0.0.0.0' }, undefined, 'http://127.0.0.1:8080'],
  [{ HUB_HOST: '::' }, undefined, 'http://[::1]:8080'],
  [{ HUB_HTTP_HOST: 'fd00::7' }, undefined, 'http://[fd00::7]:8080'],
  [{ HUB_HTTP_PORT: '0' }, 'http://127.0.0.1:41234', 'http://127.0.0.1:41234'],
  [{ HUB_HTTP_PORT: '0' }, 'http://[::]:41234', 'http://[::1]:41234'],
])('the address of a hub with %j that runs at %s is %s', (env, http, address) => {
  const { running, ...workspace } = setUp(env)
  if (http !== undefined) running(http)
  expect(hubAddress(workspace)).toBe(address)
})

it.each([
  ['http://127.0.0.1:8080', /^No other machine reaches 127\.0\.0\.1: /],
  ['https://localhost', /^No other machine reaches localhost: /],
  ['http://[::1]:8080', /^No other machine reaches \[::1\]: /],
  ['http://10.0.0.7:8080', /^A phone keeps no speaker over http: /],
  ['https://hub.example', undefined],
  ['https://localhost.example', undefined],
])('says what a phone can not do with a link to %s', (base, trouble) => {
  const said = linkTrouble(`${base}/speaker#serial=SB-0001&key=K`)
  if (trouble === undefined) expect(said).toBeUndefined()
  else expect(said).toMatch(trouble)
})

it('makes no device while the address is not known', async () => {
  const workspace = setUp({ HUB_HTTP_PORT: '0' })
  await expect(deviceAdd(workspace, { serial: 'SB-0001', link: true })).rejects.toThrow(
    /HUB_HTTP_PORT is 0 and no hub is running/,
  )
  expect(await workspace.storage.devices.list()).toEqual([])
})

it('draws a long link whole', () => {
  const link = `https://${'long.'.repeat(30)}example/speaker#serial=${'S'.repeat(32)}&key=${'K'.repeat(43)}`
  const { data } = encode(link, { ecc: 'L', border: 2 })
  expect(modulesOf(drawQr(link)).slice(0, data.length)).toEqual(data)
})
