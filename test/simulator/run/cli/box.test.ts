import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_PACKS } from '../../../../simulator/boxes/oneway/packs.ts'
import { readCli } from '../../../../simulator/run/cli/cli.ts'

/** What the command line makes of arguments, and what it says. */
function read(args: string, env: NodeJS.ProcessEnv = {}) {
  let said = ''
  const say = (text: string) => {
    said += text
  }
  const cli = readCli(args.split(' '), { HUB_DATA_DIR: '/nowhere', ...env }, { out: say, err: say })
  return { cli, said, options: cli.kind === 'box' ? cli.options : undefined }
}

describe('--dialect', () => {
  it('has a login by its serial, the packs of the simulator and no faults', () => {
    expect(read('--dialect hemipay --serial S').options).toEqual({
      ...{ kind: 'hemipay', url: 'mqtt://127.0.0.1:1885', faults: [] },
      config: {
        ...{
          serial: 'S',
          password: undefined,
          productKey: 'soundbox',
          secret: '',
          topic: undefined,
          lang: 'vi',
        },
        ...{ packs: DEFAULT_PACKS, playReport: undefined, wordMs: 220, deadMs: 3_000 },
      },
      ...{ headless: false, packets: false, timestamps: false, control: false },
    })
  })

  it('reads every option', () => {
    const args =
      '--serial S --dialect=alink --product-key pk --device-secret x --topic a/b --lang en --play-report ok ' +
      '--fault stalls --fault qos0 --box-url mqtt://127.0.0.1:1 --packets'
    expect(read(args).options).toMatchObject({
      ...{
        kind: 'alink',
        url: 'mqtt://127.0.0.1:1',
        faults: ['stalls', 'qos0'],
        headless: true,
        packets: true,
      },
      config: { productKey: 'pk', secret: 'x', topic: 'a/b', lang: 'en', playReport: 'ok' },
    })
  })

  it('reads password and secret from the environment', () => {
    const { options } = read('--dialect morefun --serial S --product-key pk', {
      ...{ BOX_PASSWORD: 'p', BOX_SECRET: 's' },
    })
    expect(options?.config).toMatchObject({ password: 'p', secret: 's' })
  })

  it('reads a pack, also with forbidden clips as numbers', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'pack-')), 'pack.json')
    const pack = {
      lang: 'vi',
      currency: 'VND',
      clips: { dong: '300' },
      forbidden: [37, '238-254'],
      examples: [],
    }
    writeFileSync(path, JSON.stringify(pack))
    expect(read(`--dialect clip-numbers --serial S --pack ${path}`).options?.config.packs).toEqual([pack])
    writeFileSync(path, JSON.stringify({ ...pack, currency: 'CNY' }))
    expect(read(`--dialect clip-numbers --serial S --pack ${path}`)).toMatchObject({
      ...{ cli: { kind: 'exit', code: 2 }, said: expect.stringContaining('is no pack') },
    })
  })

  it.each([
    ['--dialect hemipay', '--serial is missing'],
    ['--dialect hemipay --serial a/b', '--serial'],
    ['--dialect zkc --serial S', 'Allowed choices are hemipay'],
    ['--dialect morefun --serial S --product-key pk', 'needs --product-secret or --password'],
    ['--dialect alink --serial S --product-key pk', 'needs --device-secret or --password'],
    ['--dialect openluat --serial 12345678901234567', 'keeps 16 characters'],
    ['--dialect hemipay --serial S --fault stall', 'did you mean stalls?'],
    ['--dialect clip-numbers --serial S --pack /nowhere.json', 'there is no such file'],
    ['--dialect hemipay --serial S --lang fr', 'Allowed choices are vi, en'],
  ])('%s is wrong', (args, sentence) => {
    const { cli, said } = read(args)
    expect(cli).toEqual({ kind: 'exit', code: 2 })
    expect(said).toContain(sentence)
  })

  it('has a help of its own', () => {
    const { cli, said } = read('--dialect --help')
    expect(cli).toEqual({ kind: 'exit', code: 0 })
    for (const text of ['--play-report', 'dies-before-reply', 'clip-numbers']) expect(said).toContain(text)
  })
})
