import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  checkApi,
  checkBroker,
  hubAddresses,
  stateFolderOf,
} from '../../../../simulator/run/hub/running-hub.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { listening } from '../../../support/listening.ts'
import { read } from '../cli/read.ts'

/** The environment of a data folder on which a hub runs, or was killed. */
function envOf(hub: object) {
  const folder = temporaryFolder()
  const addresses = { pid: process.pid, http: 'http://0.0.0.0:18080', mqtt: 'mqtt://[::]:11883', ...hub }
  writeFileSync(join(folder, 'hub.json'), JSON.stringify(addresses))
  return { HUB_DATA_DIR: folder }
}

it('finds the hub that runs on the data folder, else takes the usual ports', () => {
  const found = { url: 'mqtt://[::1]:11883', http: 'http://127.0.0.1:18080' }
  const usual = { url: 'mqtt://127.0.0.1:1883', http: 'http://127.0.0.1:8080' }
  expect(hubAddresses(envOf({}))).toEqual(found)
  expect(hubAddresses(envOf({ mqtt: undefined, mqtts: 'mqtts://127.0.0.1:18883' })).url).toBe(
    'mqtts://127.0.0.1:18883',
  )
  expect(hubAddresses(envOf({ pid: 2 ** 30 }))).toEqual(usual)
  expect(hubAddresses({ HUB_DATA_DIR: temporaryFolder() })).toEqual(usual)
})

it('gives speakers and fleets its addresses and its folder, and options win', () => {
  const env = { ...envOf({}), SPEAKER_KEY: 'A'.repeat(43) }
  const found = { url: 'mqtt://[::1]:11883', stateDir: stateFolderOf(env) }
  const speaker = ['--serial', 'SB-0001']
  expect(read(speaker, env).cli).toMatchObject({ options: found })
  const fleet = ['--fleet', '5', '--pay', '1']
  expect(read(fleet, env).cli).toMatchObject({ options: { ...found, http: 'http://127.0.0.1:18080' } })
  const url = 'mqtt://hub.example:2883'
  expect(read([...speaker, '--url', url], env).cli).toMatchObject({ options: { url } })
  expect(read([...fleet, '--url', url], env).cli).toMatchObject({
    options: { url, http: 'http://hub.example:8080' },
  })
})

it('names the option of the address at which nobody answers', async () => {
  const server = createHttpServer((_, response) => response.writeHead(404).end())
  const address = await listening(server)
  await checkApi(`http://${address}`)
  await checkBroker(`mqtt://${address}`)
  server.close()
  server.closeAllConnections()
  await expect(checkApi(`http://${address}`)).rejects.toThrow(/^No hub answers at http:.* with --http\.$/)
  await expect(checkBroker(`mqtt://${address}`)).rejects.toThrow(/^No hub answers at mqtt:.* with --url\.$/)
})
