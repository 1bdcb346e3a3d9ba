import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig, unknownSettings } from '../../../server/platform/config.ts'
import { OperatorError } from '../../../server/platform/errors.ts'
import { NO_NETWORK, NO_PROXY } from '../../../server/platform/net/address.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { TEST_MASTER_KEY, testMasterKey } from '../../support/storage.ts'

/** The error message that the operator reads. */
function complaint(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
  return ''
}

describe('the settings', () => {
  it('have defaults: the hub listens on loopback and stores its data in ./data', () => {
    expect(readConfig({})).toEqual({
      httpHost: '127.0.0.1',
      httpPort: 8080,
      mqttHost: '127.0.0.1',
      mqttPort: 1883,
      mqttOrigins: [],
      tls: undefined,
      adminHost: '127.0.0.1',
      adminNames: ['127.0.0.1'],
      adminPort: 8081,
      console: { url: undefined },
      connectsPerSecond: 200,
      boxes: { host: '127.0.0.1', port: undefined, tlsPort: undefined, from: undefined },
      dataDir: './data',
      masterKey: undefined,
      rate: { perSecond: 50, burst: 200 },
      anonymousRate: { perSecond: 20, burst: 100 },
      trustsProxy: NO_PROXY,
      keepPaymentsDays: undefined,
      keepEventsDays: 30,
      webhookAllow: NO_NETWORK,
      logLevel: 'info',
    })
  })

  it('take a database in PostgreSQL only with a master key, which all hubs on it share', () => {
    const env = { HUB_DATABASE_URL: 'postgres://db-1,db-2/hub', HUB_DATABASE_WAIT_S: '5' }
    expect(complaint(env)).toBe(
      'Settings are wrong: HUB_MASTER_KEY must be set together with HUB_DATABASE_URL.',
    )
    expect(complaint({ ...env, HUB_DATABASE_URL: 'postgres://hub:secret@db-1', HUB_HTTP_PORT: 'x' })).toMatch(
      /^Settings are wrong: HUB_HTTP_PORT .*; HUB_DATABASE_URL must have the form .*; HUB_MASTER_KEY must be set [^;]*\.$/,
    )
    const given = { ...env, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
    const expected = { url: env.HUB_DATABASE_URL, waitMs: 5_000, drainMs: 30_000 }
    expect(readConfig(given).postgres).toEqual({ ...expected, masterKeys: [TEST_MASTER_KEY] })
    const next = testMasterKey('next')
    const { postgres } = readConfig({ ...given, HUB_NEXT_MASTER_KEY: next.toString('base64') })
    expect(postgres).toEqual({ ...expected, masterKeys: [TEST_MASTER_KEY, next] })
  })

  it('are read from the environment, and other variables are ignored', () => {
    const key = TEST_MASTER_KEY
    const cert = join(temporaryFolder(), 'cert.pem')
    writeFileSync(cert, '')
    const env = {
      ...{ PATH: '/bin', HUB_HOST: '0.0.0.0', HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '65535' },
      ...{
        HUB_MQTT_CONNECTS_PER_SECOND: '7',
        HUB_ADMIN_NAMES: 'Hub',
        HUB_CONSOLE_URL: 'https://Console.example/',
        HUB_MQTT_ORIGINS: 'https://Shop.example:443/, http://10.0.0.1:81',
      },
      ...{ HUB_MQTT_TLS_PORT: '8883', HUB_TLS_CERT: cert, HUB_TLS_KEY: cert },
      ...{ HUB_DATA_DIR: '/srv/hub', HUB_MASTER_KEY: key.toString('base64'), HUB_LOG_LEVEL: 'debug' },
      ...{ HUB_RATE_PER_SECOND: '0.5', HUB_RATE_BURST: '10', HUB_KEEP_PAYMENTS_DAYS: '400' },
      ...{ HUB_KEEP_EVENTS_DAYS: '7', HUB_WEBHOOK_ALLOW: '127.0.0.0/8,fd00::/8' },
      ...{ HUB_ANONYMOUS_PER_SECOND: '2.5', HUB_TRUST_PROXY_FROM: '10.0.0.0/8' },
      ...{
        HUB_BOX_HOST: '10.0.0.5',
        HUB_BOX_PORT: '1885',
        HUB_BOX_TLS_PORT: '8885',
        HUB_BOX_FROM: '10.0.0.0/8',
      },
    }
    const config = readConfig(env)
    expect([config.trustsProxy('10.1.2.3'), config.trustsProxy('11.1.2.3')]).toEqual([true, false])
    expect([config.webhookAllow('127.1.2.3'), config.webhookAllow('10.1.2.3')]).toEqual([true, false])
    expect(config).toEqual({
      ...{ httpHost: '0.0.0.0', httpPort: 0, mqttHost: '0.0.0.0', mqttPort: 65_535 },
      mqttOrigins: ['https://shop.example', 'http://10.0.0.1:81'],
      ...{
        adminHost: '127.0.0.1',
        adminNames: ['hub', '127.0.0.1', 'console.example'],
        adminPort: 8081,
        console: { url: 'https://console.example' },
        dataDir: '/srv/hub',
        logLevel: 'debug',
      },
      rate: { perSecond: 0.5, burst: 10 },
      ...{ anonymousRate: { perSecond: 2.5, burst: 13 }, trustsProxy: expect.any(Function) },
      keepPaymentsDays: 400,
      ...{ keepEventsDays: 7, webhookAllow: expect.any(Function) },
      boxes: { host: '10.0.0.5', port: 1885, tlsPort: 8885, from: expect.any(Function) },
      ...{ connectsPerSecond: 7, masterKey: key, tls: { port: 8883, certFile: cert, keyFile: cert } },
    })
  })

  it('give each listener its own address; HUB_HOST is that of partners and speakers, never of operators', () => {
    const hosts = (env: Record<string, string>) => {
      const { httpHost, mqttHost, adminHost } = readConfig(env)
      return [httpHost, mqttHost, adminHost]
    }
    expect(hosts({ HUB_HOST: '::' })).toEqual(['::', '::', '127.0.0.1'])
    expect(hosts({ HUB_HOST: '::', HUB_HTTP_HOST: 'a', HUB_MQTT_HOST: 'b', HUB_ADMIN_HOST: 'c' })).toEqual([
      ...['a', 'b', 'c'],
    ])
    // Browsers write a host in lower case.
    const names = { HUB_ADMIN_HOST: 'Ops.Example.com', HUB_ADMIN_NAMES: 'Hub' }
    expect(readConfig(names).adminNames).toEqual(['hub', 'ops.example.com'])
  })

  it.each([
    [{}, { url: undefined }],
    [{ HUB_ADMIN_HOST: '::1' }, { url: undefined }],
    [{ HUB_ADMIN_HOST: '0.0.0.0' }, undefined],
    [{ HUB_ADMIN_HOST: '0.0.0.0', HUB_CONSOLE_URL: 'https://a.example' }, { url: 'https://a.example' }],
  ])('%j: elsewhere than on loopback the console needs an address with TLS', (env, console) => {
    expect(readConfig(env).console).toEqual(console)
  })

  it('switch MQTT without TLS off, only where MQTT with TLS is on', () => {
    const cert = join(temporaryFolder(), 'cert.pem')
    writeFileSync(cert, '')
    const tls = { HUB_MQTT_TLS_PORT: '0', HUB_TLS_CERT: cert, HUB_TLS_KEY: cert }
    expect(readConfig({ HUB_MQTT_PORT: 'off', ...tls }).mqttPort).toBeUndefined()
    expect(complaint({ HUB_MQTT_PORT: 'off' })).toMatch(
      /HUB_MQTT_PORT may be off only where HUB_MQTT_TLS_PORT/,
    )
  })

  it('treat an empty variable as unset', () => {
    expect(readConfig({ HUB_HTTP_PORT: '', HUB_MASTER_KEY: '', HUB_TLS_CERT: '' })).toEqual(readConfig({}))
  })

  it.each([
    { env: { HUB_WEBHOOK_ALLOW: '10.0.0.0/33' }, says: 'HUB_WEBHOOK_ALLOW must be addresses or networks' },
    { env: { HUB_WEBHOOK_ALLOW: 'localhost' }, says: 'HUB_WEBHOOK_ALLOW must be addresses or networks' },
    { env: { HUB_KEEP_PAYMENTS_DAYS: '0' }, says: 'HUB_KEEP_PAYMENTS_DAYS must be 1 to 36500' },
    { env: { HUB_KEEP_PAYMENTS_DAYS: '1.5' }, says: 'HUB_KEEP_PAYMENTS_DAYS must be a whole number of days' },
    { env: { HUB_HTTP_PORT: 'eighty' }, says: 'HUB_HTTP_PORT must be a port number' },
    { env: { HUB_MQTT_PORT: '65536' }, says: 'HUB_MQTT_PORT must be a port number' },
    { env: { HUB_MQTT_PORT: '-1' }, says: 'HUB_MQTT_PORT must be a port number' },
    { env: { HUB_MQTT_PORT: '80.5' }, says: 'HUB_MQTT_PORT must be a port number' },
    { env: { HUB_ADMIN_PORT: 'off' }, says: 'HUB_ADMIN_PORT must be a port number' },
    { env: { HUB_MASTER_KEY: 'c2hvcnQ=' }, says: 'HUB_MASTER_KEY must be 32 bytes in base64' },
    { env: { HUB_RATE_PER_SECOND: 'fast' }, says: 'HUB_RATE_PER_SECOND must be a number of requests' },
    { env: { HUB_RATE_PER_SECOND: '-1' }, says: 'HUB_RATE_PER_SECOND must be a number of requests' },
    { env: { HUB_RATE_PER_SECOND: '0' }, says: 'HUB_RATE_PER_SECOND must be above 0' },
    { env: { HUB_RATE_BURST: '0' }, says: 'HUB_RATE_BURST must be 1 to 1000000' },
    { env: { HUB_RATE_BURST: '1.5' }, says: 'HUB_RATE_BURST must be a whole number' },
    { env: { HUB_RATE_BURST: '1000001' }, says: 'HUB_RATE_BURST must be 1 to 1000000' },
    { env: { HUB_ANONYMOUS_PER_SECOND: '0' }, says: 'HUB_ANONYMOUS_PER_SECOND must be above 0' },
    {
      env: { HUB_TRUST_PROXY_FROM: '10.0.0.0/8,balancer' },
      says: 'HUB_TRUST_PROXY_FROM must be addresses or networks with commas between them',
    },
    ...[
      ...[
        '*',
        'https://*.shop.example',
        'shop.example',
        'https://shop.example/page',
        'https://u:p@shop.example',
      ],
      ...['https://shop.example,', 'https://shop.example?', 'wss://shop.example', 'null', 'file://'],
    ].map((value) => ({
      env: { HUB_MQTT_ORIGINS: value },
      says: 'HUB_MQTT_ORIGINS must be origins of pages with commas between them, such as https://shop.example',
    })),
    {
      env: { HUB_CONSOLE_URL: 'http://a.example' },
      says: 'HUB_CONSOLE_URL must be an address such as https:',
    },
    {
      env: { HUB_CONSOLE_URL: 'https://a.example/x' },
      says: 'HUB_CONSOLE_URL must be an address such as https:',
    },
    { env: { HUB_ADMIN_NAMES: 'hub:8081' }, says: 'HUB_ADMIN_NAMES must be host names' },
    { env: { HUB_LOG_LEVEL: 'loud' }, says: 'HUB_LOG_LEVEL must be one of fatal' },
    { env: { HUB_TLS_CERT: '/nowhere/cert.pem' }, says: 'HUB_TLS_CERT names a file that does not exist' },
    { env: { HUB_MQTT_TLS_PORT: '8883' }, says: 'HUB_TLS_CERT must be set together with HUB_MQTT_TLS_PORT' },
    { env: { HUB_BOX_TLS_PORT: '8885' }, says: 'HUB_TLS_CERT must be set together with HUB_BOX_TLS_PORT' },
    { env: { HUB_MQTT_TLS_PORT: '8883' }, says: 'HUB_TLS_KEY must be set together with HUB_MQTT_TLS_PORT' },
  ])('are refused with a sentence that names the variable: $env', ({ env, says }) => {
    expect(complaint(env)).toContain(says)
  })

  it('are refused with one message that lists every mistake', () => {
    const sentence = complaint({
      ...{ HUB_HTTP_PORT: 'x', HUB_MQTT_PORT: '70000', HUB_MASTER_KEY: 'x', HUB_LOG_LEVEL: 'x' },
      ...{ HUB_MQTT_TLS_PORT: '8883', HUB_TLS_CERT: '/nowhere' },
    })
    for (const name of ['HTTP_PORT', 'MQTT_PORT', 'MASTER_KEY', 'LOG_LEVEL', 'TLS_CERT', 'TLS_KEY'])
      expect(sentence).toContain(`HUB_${name} `)
  })

  it('name each HUB_ variable that is none of them, with the nearest that is', () => {
    expect(unknownSettings({ HUB_HTTP_PORT: '1', HUBBLE: 'x', PATH: '', HUB_LOG_LEVEL: '' })).toEqual([])
    expect(
      unknownSettings({ HUB_HTTP_PRT: '80', HUB_LOGLEVEL: 'x', HUB_MQTT_TLS_PROT: '1', HUB_ADMIN: '' }),
    ).toEqual([
      'HUB_HTTP_PRT is no setting of the hub, the nearest is HUB_HTTP_PORT',
      'HUB_LOGLEVEL is no setting of the hub, the nearest is HUB_LOG_LEVEL',
      'HUB_MQTT_TLS_PROT is no setting of the hub, the nearest is HUB_MQTT_TLS_PORT',
      expect.stringMatching(/^HUB_ADMIN is no setting/),
    ])
    expect(complaint({ HUB_LOG_LEVEL: 'x', HUB_HTTP_PRT: '80' })).toContain('the nearest is HUB_HTTP_PORT')
  })

  it('never show the master key in an error message', () => {
    expect(complaint({ HUB_MASTER_KEY: 'sUperSecretButShort' })).not.toContain('sUperSecretButShort')
  })
})
