import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../support/folder.ts'
import { startTestHub } from '../../../support/hub.ts'
import { bornDevice } from '../../../support/mqtt/mqtt-device.ts'

it('sb/1 1.1: carries MQTT over TLS, where the plain port may be off', async ({ skip }) => {
  const folder = temporaryFolder()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const made = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert],
    ],
    { encoding: 'utf8' },
  )
  skip(made.error !== undefined, 'openssl is not installed, so there is no certificate to serve')
  expect(made.status).toBe(0)
  const hub = await startTestHub({
    env: { HUB_MQTT_PORT: 'off', HUB_MQTT_TLS_PORT: '0', HUB_TLS_CERT: cert, HUB_TLS_KEY: key },
  })
  expect(hub.mqtt).toBe('')
  const url = String(hub.mqtts)
  expect(url).toMatch(/^mqtts:/)
  const born = await bornDevice(url, await hub.device('SB-0001'), { rejectUnauthorized: false })
  expect(born.closed).toBe(false)
})
