import { describe, expect, it } from 'vitest'
import { proofOf } from '../../../../protocol/keys.ts'
import { FAULTS } from '../../../../simulator/speaker/device/state/faults.ts'
import { read } from './read.ts'

const KEY = Buffer.alloc(32, 7)
const GOOD = ['--serial', 'SPK-0001', '--key', KEY.toString('base64url')]

describe('the arguments', () => {
  it('have defaults', () => {
    expect(read(GOOD).cli).toEqual({
      kind: 'speaker',
      options: {
        serial: 'SPK-0001',
        key: KEY,
        url: 'mqtt://127.0.0.1:1883',
        headless: false,
        packets: false,
        timestamps: false,
        control: false,
        stateDir: './data/simulator',
        faults: [],
        sound: false,
        recordDir: undefined,
        voiceDir: undefined,
        transcript: undefined,
      },
    })
  })

  it('enable sound', () => {
    expect(read([...GOOD, '--sound', '--record', 'wavs', '--voice', 'mine']).cli).toMatchObject({
      options: { sound: true, recordDir: 'wavs', voiceDir: 'mine' },
    })
  })

  it('may omit the key when the environment has it', () => {
    const { cli } = read(['--serial', 'SPK-0001'], { SPEAKER_KEY: KEY.toString('base64url') })
    expect(cli).toMatchObject({ kind: 'speaker', options: { key: KEY } })
  })

  it('sb/1 2.5: may ask for the proof of its serial and key, as hub device add --csv prints it', () => {
    expect(read([...GOOD, '--proof'])).toEqual({
      cli: { kind: 'exit', code: 0 },
      out: `${proofOf('SPK-0001', KEY)}\n`,
      err: '',
    })
    expect(read(['--proof'])).toMatchObject({ cli: { code: 2 }, err: expect.stringContaining('--serial') })
  })

  it('may name several faults', () => {
    const { cli } = read([...GOOD, '--fault', 'mute', '--fault', 'slow-link'])
    expect(cli).toMatchObject({ options: { faults: ['mute', 'slow-link'] } })
  })

  it.each([
    ['no serial', ['--key', KEY.toString('base64url')], /--serial/],
    ['no key', ['--serial', 'SPK-0001'], /--key is missing/],
    [
      'a serial with a wildcard',
      ['--serial', 'SPK/+', '--key', KEY.toString('base64url')],
      /4 to 32 letters/,
    ],
    ['a short key', ['--serial', 'SPK-0001', '--key', 'abc'], /43 characters/],
    ['another kind of address', [...GOOD, '--url', 'http://127.0.0.1'], /mqtt:\/\//],
    ['an unknown option', [...GOOD, '--colour'], /unknown option/],
    [
      'an unknown fault',
      [...GOOD, '--fault', 'broken-heart'],
      /no such fault; there are slow-link, drop-acks/,
    ],
    ['a voice that nobody hears', [...GOOD, '--voice', 'mine'], /--voice needs --sound or --record/],
    ['a misspelt fault', [...GOOD, '--fault', 'slow-lnk'], /no such fault; did you mean slow-link\?/],
    ['a stray word', [...GOOD, 'now'], /too many arguments/],
  ])('with %s exit with 2 and a sentence', (_, args, sentence) => {
    const { cli, err } = read(args)
    expect(cli).toEqual({ kind: 'exit', code: 2 })
    expect(err).toMatch(sentence)
  })

  it('enable the transcript', () => {
    expect(read([...GOOD, '--transcript', 'tape']).cli).toMatchObject({ options: { transcript: 'tape' } })
  })

  it.each(['--packets', '--timestamps', '--control'])('%s implies no screen', (option) => {
    expect(read([...GOOD, option]).cli).toMatchObject({ options: { headless: true } })
  })

  describe('of a scenario', () => {
    const CREDENTIALS = { CLIENT_ID: 'sbc_1', CLIENT_SECRET: 'sbs_1' }

    it('without a speaker mention --with-hub', () => {
      const { cli, err } = read(['--scenario', 'x.yaml'])
      expect(cli).toEqual({ kind: 'exit', code: 2 })
      expect(err).toMatch(/--serial is missing: .* Or use --with-hub, /)
    })

    it('name an existing hub and a speaker', () => {
      expect(read([...GOOD, '--scenario', 'x.yaml']).cli).toMatchObject({
        kind: 'scenario',
        options: { serial: 'SPK-0001' },
        scenario: { paths: ['x.yaml'], hub: 'given', partner: undefined, junit: undefined },
      })
    })

    it('may give a partner', () => {
      const args = [...GOOD, '--scenario', 'x.yaml', '--http', 'http://127.0.0.1:8080/']
      expect(read(args, CREDENTIALS).cli).toMatchObject({
        scenario: {
          partner: { http: 'http://127.0.0.1:8080', clientId: 'sbc_1', clientSecret: 'sbs_1' },
        },
      })
    })

    it('may give the login of a box in place of a key', () => {
      const args = ['--serial', 'BOX-0001', '--scenario', 'x.yaml', '--box-url', 'mqtt://127.0.0.1:1886']
      for (const [env, login] of [
        [{ BOX_PASSWORD: 'p' }, { password: 'p' }],
        [{ BOX_SECRET: 's' }, { secret: 's' }],
      ])
        expect(read(args, env).cli).toMatchObject({
          options: { serial: 'BOX-0001', key: new Uint8Array() },
          scenario: { hub: 'given', box: { url: 'mqtt://127.0.0.1:1886', ...login } },
        })
      expect(read(args).err).toMatch(/--key is missing/)
    })

    it('take several files and folders, and a file for the results', () => {
      const args = [
        '--scenario',
        'a.yaml',
        'folder',
        '--with-hub',
        '--junit',
        'r.xml',
        '--scenario',
        'b.yaml',
      ]
      expect(read(args).cli).toMatchObject({
        scenario: { paths: ['a.yaml', 'folder', 'b.yaml'], hub: 'own', junit: 'r.xml' },
      })
    })

    it('need nothing else with --with-hub', () => {
      expect(read(['--scenario', 'x.yaml', '--with-hub']).cli).toMatchObject({
        options: { serial: '' },
        scenario: { hub: 'own' },
      })
    })

    it.each([
      ['a hub of its own and a serial', ['--with-hub', '--serial', 'SPK-0001'], /mints its own speaker/],
      ['a hub of its own and an address', ['--with-hub', '--http', 'http://x'], /omit --http/],
      ['a hub of its own and one for boxes', ['--with-hub', '--box-url', 'mqtt://x'], /omit --box-url/],
      ['a hub of its own and a broker', ['--with-hub', '--url', 'mqtt://x'], /omit --url/],
      ['a hub of its own and a memory', ['--with-hub', '--state', 'mine'], /omit --state/],
      ['no credentials', [...GOOD, '--http', 'http://x'], /set CLIENT_ID and CLIENT_SECRET/],
      ['another kind of address', [...GOOD, '--http', 'mqtt://x'], /such as http:\/\/127\.0\.0\.1:8080/],
      ['orders from two sides', [...GOOD, '--control'], /performs its own actions/],
    ])('with %s exit with 2 and a sentence', (_, args, sentence) => {
      const { cli, err } = read([...args, '--scenario', 'x.yaml'])
      expect(cli).toEqual({ kind: 'exit', code: 2 })
      expect(err).toMatch(sentence)
    })

    it.each([['--with-hub'], ['--http', 'http://x'], ['--box-url', 'mqtt://x'], ['--junit', 'r.xml']])(
      '%s without --scenario is refused',
      (...option) => {
        const { cli, err } = read([...GOOD, ...option])
        expect(cli).toEqual({ kind: 'exit', code: 2 })
        expect(err).toMatch(/needs --scenario/)
      },
    )
  })

  it('have a help text', () => {
    const { cli, out } = read(['--help'])
    expect(cli).toEqual({ kind: 'exit', code: 0 })
    expect(out).toContain('--headless')
    for (const fault of FAULTS) expect(out).toContain(`  ${fault} `)
    expect(out.match(/^\S.*:$/gm)).toEqual([
      ...['Speaker:', 'Without a screen:', 'Faults:', 'Sound:', 'Recording:', 'Scenario:'],
      ...['Fleet:', 'Boxes of other makers:', 'Replay:', 'The names of faults:'],
    ])
  })

  it.each([[['--help']], [['--fleet', '--help']], [['merge', '--help']], [['replay', '--help']]])(
    '%j print at most 80 columns',
    (args) => {
      expect(
        read(args)
          .out.split('\n')
          .filter((line) => line.length > 80),
      ).toEqual([])
    },
  )
})

describe('the arguments of a replay', () => {
  it('have defaults', () => {
    expect(read(['replay', 'tape']).cli).toEqual({
      kind: 'replay',
      options: { file: 'tape', headless: false, speed: 1, fromMs: 0, maxIdleMs: 3_000 },
    })
  })

  it.each([
    [['--speed', '4x', '--from', '90'], { speed: 4, fromMs: 90_000 }],
    [['--speed', '0.5', '--from', '1h2m3.5s'], { speed: 0.5, fromMs: 3_723_500 }],
    [['--max-idle', '2m', '--headless'], { maxIdleMs: 120_000, headless: true }],
  ])('%j are accepted', (args, options) => {
    expect(read(['replay', ...args, 'tape']).cli).toMatchObject({ options })
  })

  it.each([
    ['no file', [], /missing required argument 'file'/],
    ['two files', ['tape', 'other'], /too many arguments/],
    ['no speed', ['tape', '--speed', '0'], /from 0\.25 to 64/],
    ['a speed in words', ['tape', '--speed', 'fast'], /from 0\.25 to 64/],
    ['no time', ['tape', '--from', ''], /such as 90s or 1m30s/],
    ['a negative time', ['tape', '--from=-3s'], /such as 90s or 1m30s/],
    ['what a speaker takes', ['tape', '--serial', 'SPK-0001'], /unknown option/],
  ])('with %s exit with 2 and a sentence', (_, args, sentence) => {
    const { cli, err } = read(['replay', ...args])
    expect(cli).toEqual({ kind: 'exit', code: 2 })
    expect(err).toMatch(sentence)
  })

  it('have a help text, which the main help mentions', () => {
    expect(read(['replay', '--help'])).toMatchObject({
      cli: { code: 0 },
      out: expect.stringContaining('--max-idle'),
    })
    expect(read(['--help']).out).toContain('replay <file>')
  })
})
