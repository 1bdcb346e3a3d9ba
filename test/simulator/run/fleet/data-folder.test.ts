import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkDataFolder } from '../../../../simulator/run/fleet/devices/data-folder.ts'
import { hubCommand } from '../../../../simulator/run/fleet/devices/devices.ts'
import { temporaryFolder } from '../../../support/folder.ts'

const URL = 'mqtt://127.0.0.1:1883'

/** The data folder of a hub that runs in this process. */
function folderOf(hub: object): { HUB_DATA_DIR: string } {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'hub.json'), JSON.stringify({ pid: process.pid, mqtt: URL, ...hub }))
  return { HUB_DATA_DIR: folder }
}

it.each([
  ['its own port', {}, URL],
  ['another name of this machine', {}, 'mqtt://localhost'],
  ['its TLS port', { mqtts: 'mqtts://127.0.0.1:8884' }, 'mqtts://localhost:8884'],
  ['a proxy', {}, 'wss://127.0.0.1/mqtt'],
  ['a name that may lead to another port', {}, 'mqtt://hub.example:11883'],
])('accepts a folder whose hub is at %s', (_, hub, url) => {
  expect(() => checkDataFolder(folderOf(hub), url)).not.toThrow()
})

it.each([
  [
    'whose hub is another',
    {},
    'mqtt://127.0.0.1:1884',
    /: the hub that uses it is at mqtt:\/\/127\.0\.0\.1:1883\./,
  ],
  ['whose hub was killed', { pid: 2 ** 30 }, URL, /: no hub is running on it\. Set HUB_DATA_DIR/],
])('refuses a folder %s', (_, hub, url, sentence) => {
  expect(() => checkDataFolder(folderOf(hub), url)).toThrow(sentence)
})

it('mints nothing in a folder without a hub, and does not create the folder', async () => {
  const empty = temporaryFolder()
  const missing = join(empty, 'missing')
  for (const HUB_DATA_DIR of [empty, missing])
    await expect(hubCommand({ ...process.env, HUB_DATA_DIR }, URL)(['device', 'add'])).rejects.toThrow(
      `The data folder ${HUB_DATA_DIR} does not belong to the hub at ${URL}: no hub is running on it.`,
    )
  expect(readdirSync(empty)).toEqual([])
  expect(existsSync(missing)).toBe(false)
})
