import { describe, expect, it } from 'vitest'
import { read } from './read.ts'

describe('the arguments of a fleet', () => {
  it.each([[['--headless', '--fleet', '5']], [['--fleet=5']]])(
    '%j are distinguished from those of one speaker',
    (args) => {
      expect(read(args).cli).toMatchObject({ kind: 'fleet', options: { speakers: 5 } })
    },
  )

  it('have defaults', () => {
    expect(read(['--fleet', '1000']).cli).toEqual({
      kind: 'fleet',
      options: {
        ...{ boxUrl: 'mqtt://127.0.0.1:1885', dialects: {} },
        speakers: 1_000,
        devices: undefined,
        stateDir: './data/simulator',
        skip: 0,
        url: 'mqtt://127.0.0.1:1883',
        http: 'http://127.0.0.1:8080',
        connectRate: 180,
        payRate: undefined,
        payments: undefined,
        mix: {},
        conditions: { faults: {}, networks: {} },
        scenarioFile: undefined,
        durationMs: undefined,
        patienceMs: undefined,
        thresholds: [],
        processes: 1,
        headless: false,
        reportFile: undefined,
        junitFile: undefined,
        csvFile: undefined,
        metrics: undefined,
        credentials: undefined,
      },
    })
  })

  it('keep the devices in the data folder of the hub that minted them', () => {
    const { cli } = read(['--fleet', '5'], { HUB_DATA_DIR: '/srv/hub' })
    expect(cli).toMatchObject({ options: { stateDir: '/srv/hub/simulator' } })
  })

  it('parse durations and rates with their units', () => {
    const { cli } = read(['--fleet', '600', '--ramp', '2m', '--duration', '1.5h', '--pay', '0.5/s'])
    expect(cli).toMatchObject({ options: { connectRate: 5, durationMs: 5_400_000, payRate: 0.5 } })
  })

  it('say what the run must reach', () => {
    const expected = ['--expect-connected=0', '--expect-shops=9', '--expect-rate=99.5%', '--expect-p99=500']
    const { cli } = read(['--fleet', '9', '--pay', '1', ...expected, '--patience=2m'])
    expect(cli).toMatchObject({
      options: {
        patienceMs: 120_000,
        thresholds: [
          { expect: 'connected', figure: 'links.connected', operator: '>=', bound: 0 },
          { expect: 'shops', figure: 'shops.ready', bound: 9 },
          { expect: 'rate', figure: 'sent', bound: 99.5, isShare: true },
          { expect: 'p99', figure: 'speechMs.p99', operator: '<=', bound: 500 },
        ],
      },
    })
    const others = ['--expect-p99=1.5s', '--expect-heard=99', '--expect-missed=1%', '--expect', 'lost < 1']
    expect(read(['--fleet', '9', '--pay', '1', ...others, '--expect', 'reconnects == 0']).cli).toMatchObject({
      options: {
        thresholds: [
          { expect: 'heard', bound: 99, isShare: true },
          { expect: 'missed', operator: '<=', bound: 1, isShare: true },
          { expect: 'p99', bound: 1_500 },
          { expect: 'lost < 1' },
          { expect: 'reconnects == 0' },
        ],
      },
    })
  })

  it('take faults and bad networks for shares of the fleet', () => {
    const { cli } = read(['--fleet', '9', '--fault', 'mute=50%', '--fault=drop-acks=1%', '--network=2g=10%'])
    expect(cli).toMatchObject({
      options: { conditions: { faults: { mute: 0.5, 'drop-acks': 0.01 }, networks: { '2g': 0.1 } } },
    })
  })

  it('take files for other reports, and an address for metrics', () => {
    const { cli } = read(['--fleet', '9', '--junit', 'j.xml', '--csv', 'f.csv', '--metrics', '9400'])
    const metrics = { host: '127.0.0.1', port: 9_400 }
    expect(cli).toMatchObject({ options: { junitFile: 'j.xml', csvFile: 'f.csv', metrics } })
    expect(read(['--fleet', '9', '--metrics', '[::1]:0']).cli).toMatchObject({
      options: { metrics: { host: '::1', port: 0 } },
    })
  })

  it('may be shared among processes', () => {
    expect(read(['--fleet', '9', '--processes', '3']).cli).toMatchObject({ options: { processes: 3 } })
  })

  it('take other kinds of payments by their shares', () => {
    expect(read(['--fleet', '9', '--dialect', 'hemipay=20%', '--dialect=alink=5%']).cli).toMatchObject({
      options: { dialects: { hemipay: 0.2, alink: 0.05 } },
    })
    const { cli } = read(['--fleet', '9', '--pay', '1', '--mix', 'qr=5%', '--mix=wrong-checksum=0.5%'])
    expect(cli).toMatchObject({ options: { mix: { qr: 0.05, 'wrong-checksum': 0.005 } } })
  })

  it('read the partner from the environment', () => {
    const env = { CLIENT_ID: 'sbc_1', CLIENT_SECRET: 'sbs_1' }
    const { cli } = read(['--fleet', '5', '--devices', 'd.jsonl', '--pay', '1', '--url', 'mqtt://hub:1'], env)
    expect(cli).toMatchObject({
      options: { http: 'http://hub:8080', credentials: { clientId: 'sbc_1', clientSecret: 'sbs_1' } },
    })
  })

  it.each([
    ['no number', ['--fleet'], /argument missing/],
    ['no speakers', ['--fleet', '0'], /whole number above 0/],
    ['more than a machine has ports for', ['--fleet', '20001'], /20000 at most.*28,000 ports/],
    ['a time without a unit', ['--fleet', '5', '--duration', '60'], /with its unit/],
    ['no time', ['--fleet', '5', '--ramp', '0s'], /with its unit/],
    ['no rate', ['--fleet', '5', '--pay', 'fast'], /rate per second/],
    ['a ramp and a rate', ['--fleet', '5', '--ramp', '5s', '--connect-rate', '5'], /cannot be used with/],
    ['payments without a rate', ['--fleet', '5', '--payments', '9'], /--payments needs --pay/],
    ['a partner API without a rate', ['--fleet', '5', '--http', 'http://hub'], /--http needs --pay/],
    [
      'payments by nobody',
      ['--fleet', '5', '--pay', '1', '--devices', 'd'],
      /set CLIENT_ID and CLIENT_SECRET/,
    ],
    ['another kind of address', ['--fleet', '5', '--url', 'http://127.0.0.1'], /mqtt:\/\//],
    ['a part of a speaker', ['--fleet', '5', '--expect-connected', '1.5'], /Give a whole number/],
    [
      'more connected than there are',
      ['--fleet', '5', '--expect-connected', '6'],
      /is 6, and --fleet has only 5 speakers/,
    ],
    [
      'more shops than speakers',
      ['--fleet', '5', '--pay', '1', '--expect-shops', '6'],
      /is 6, and --fleet has only 5/,
    ],
    [
      'more than all payments',
      ['--fleet', '5', '--pay', '1', '--expect-rate', '101'],
      /percent, from 0 to 100/,
    ],
    ['no share', ['--fleet', '5', '--pay', '1', '--expect-rate', 'most'], /percent, from 0 to 100/],
    [
      'no time to speech',
      ['--fleet', '5', '--pay', '1', '--expect-p99', '0'],
      /in milliseconds, such as 500/,
    ],
    ['shops without payments', ['--fleet', '5', '--expect-shops', '5'], /--expect-shops needs --pay/],
    ['a rate without payments', ['--fleet', '5', '--expect-rate', '95'], /--expect-rate needs --pay/],
    ['times without payments', ['--fleet', '5', '--expect-p99', '500'], /--expect-p99 needs --pay/],
    ['missed payments without any', ['--fleet', '5', '--expect-missed', '5'], /--expect-missed needs --pay/],
    [
      'a figure of payments without any',
      ['--fleet', '5', '--expect', 'heard > 5'],
      /--expect "heard > 5" needs --pay/,
    ],
    ['an unknown figure', ['--fleet', '5', '--expect', 'conected > 5'], /There is no figure conected/],
    ['an unknown kind', ['--fleet', '5', '--pay', '1', '--mix', 'bil=5%'], /did you mean bill\?/],
    ['no share of a kind', ['--fleet', '5', '--pay', '1', '--mix', 'bill'], /such as bill=5%/],
    [
      'too many of a kind',
      ['--fleet', '5', '--pay', '1', '--mix', 'bill=90%', '--mix', 'qr=20%'],
      /more than 100 %/,
    ],
    ['a mix of nothing', ['--fleet', '5', '--mix', 'bill=5%'], /--mix needs --pay/],
    ['an unknown fault', ['--fleet', '5', '--fault', 'muted=5%'], /did you mean mute\?/],
    ['a network for more than all', ['--fleet', '5', '--network', '2g=101%'], /such as 2g=5%/],
    ['more networks than all', ['--fleet', '5', '--network=2g=60%', '--network=slow=50%'], /more than 100 %/],
    ['more processes than speakers', ['--fleet', '5', '--processes', '6'], /--fleet has only 5 speakers/],
    [
      'more processes than payments',
      ['--fleet', '5', '--processes', '3', '--pay', '1', '--payments', '2'],
      /--payments is only 2/,
    ],
    ['no port', ['--fleet', '5', '--metrics', 'here'], /such as 9400/],
    ['no patience', ['--fleet', '5', '--patience', '0s'], /with its unit/],
    ['an unknown option', ['--fleet', '5', '--serial', 'SPK-1'], /unknown option/],
  ])('with %s exit with 2 and a sentence', (_, args, sentence) => {
    const { cli, err } = read(args)
    expect(cli).toEqual({ kind: 'exit', code: 2 })
    expect(err).toMatch(sentence)
  })

  it('have a help text, with and without a number', () => {
    for (const args of [
      ['--fleet', '--help'],
      ['--fleet', '5', '-h'],
    ]) {
      const { cli, out } = read(args)
      expect(cli).toEqual({ kind: 'exit', code: 0 })
      expect(out).toContain('--connect-rate')
    }
  })
})

describe('the arguments of a merge', () => {
  it('are files, what the whole must reach, and where it is written', () => {
    const args = [
      'merge',
      'a.json',
      'b.json',
      '--expect-missed',
      '1',
      '--expect',
      'lost == 0',
      '--junit',
      'j.xml',
    ]
    expect(read(args).cli).toMatchObject({
      kind: 'merge',
      options: {
        ...{ files: ['a.json', 'b.json'], headless: false, reportFile: undefined, junitFile: 'j.xml' },
        thresholds: [{ expect: 'missed', bound: 1 }, { expect: 'lost == 0' }],
      },
    })
  })

  it.each([
    ['no file', ['merge'], /missing required argument/],
    ['what a fleet has', ['merge', 'a.json', '--pay', '5'], /unknown option/],
  ])('with %s exit with 2 and a sentence', (_, args, sentence) => {
    const { cli, err } = read(args)
    expect(cli).toEqual({ kind: 'exit', code: 2 })
    expect(err).toMatch(sentence)
  })
})
