import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CannotStart } from '../../../../simulator/platform/errors.ts'
import {
  type HubCommand,
  ownDevices,
  ownPartner,
  readDevices,
} from '../../../../simulator/run/fleet/devices/devices.ts'
import { checkOpenFiles, openFilesAllowed } from '../../../../simulator/run/fleet/devices/limits.ts'
import { temporaryFolder } from '../../../support/folder.ts'

const KEY = Buffer.alloc(32, 9)
const line = (serial: string) => `${JSON.stringify({ serial, key: KEY.toString('base64url') })}\n`

function fileOf(text: string): string {
  const file = join(temporaryFolder(), 'devices.jsonl')
  writeFileSync(file, text)
  return file
}

/** A hub command line that mints devices and records its calls. */
function standIn() {
  const asked: string[] = []
  const inputs: string[] = []
  let number = 0
  const hub: HubCommand = async (args, input) => {
    asked.push(args.join(' '))
    if (args.includes('--dialect')) {
      inputs.push(input ?? '')
      const label = 'ABCD2345EFGH'
      const password =
        args.includes('--secret-file') || input !== undefined ? {} : { password: 'sixteen letters!' }
      return JSON.stringify({ serial: args[3], wireId: args[3], label, ...password })
    }
    if (args[0] === 'partner') return '{"clientId":"sbc_1","clientSecret":"sbs_1"}\n'
    return Array.from({ length: Number(args[3]) }, () => {
      number += 1
      return line(`FLEET-${String(number).padStart(5, '0')}`)
    }).join('')
  }
  return { hub, asked, inputs }
}

describe('devices from a file', () => {
  it('are those of its first lines', () => {
    const devices = readDevices(fileOf(`${line('SPK-1')}\n${line('SPK-2')}${line('SPK-3')}`), 2)
    expect(devices).toEqual([
      { serial: 'SPK-1', key: KEY },
      { serial: 'SPK-2', key: KEY },
    ])
  })

  it('may leave out the first, which another fleet has', () => {
    const file = fileOf(line('SPK-1') + line('SPK-2') + line('SPK-3'))
    expect(readDevices(file, 2, 1).map(({ serial }) => serial)).toEqual(['SPK-2', 'SPK-3'])
    expect(() => readDevices(file, 2, 2)).toThrow(/has 3 devices, but --skip and --fleet need 4\./)
  })

  it.each([
    ['too few', line('SPK-1'), /has 1 devices, but --fleet needs 2/],
    ['a line that is none', `${line('SPK-1')}nonsense\n`, /line 2: each line is a device/],
    ['a short key', '{"serial":"SPK-1","key":"abc"}\n', /line 1: each line is a device/],
    ['a serial with a wildcard', line('SPK/+'), /line 1/],
    ['one twice', line('SPK-1') + line('SPK-1'), /line 2: SPK-1 is a duplicate/],
  ])('with %s are refused with the line', (_, text, sentence) => {
    expect(() => readDevices(fileOf(text), 2)).toThrow(sentence)
  })

  it('are refused with a sentence when the file is missing', () => {
    expect(() => readDevices('/nowhere/devices.jsonl', 1)).toThrow(CannotStart)
  })
})

describe('boxes of other makers', () => {
  it('are lines of a file among others, and wrong ones are refused', () => {
    const box = { dialect: 'ds50', serial: 'BOX-1', password: 'its own', label: 'ABCD2345EFGH' }
    const text = `${line('SPK-1')}${JSON.stringify(box)}\n`
    expect(readDevices(fileOf(text), 2)[1]).toEqual({ serial: 'BOX-1', box })
    for (const wrong of [{ dialect: 'zkc' }, { serial: 'BOX/1' }, { pasword: '' }])
      expect(() => readDevices(fileOf(JSON.stringify({ ...box, ...wrong })), 1)).toThrow(/or a box/)
  })

  it('are minted by their shares, each with what its kind logs in with, and kept', async () => {
    const dir = join(temporaryFolder(), 'state')
    const { hub, asked, inputs } = standIn()
    const dialects = { hemipay: 0.2, morefun: 0.2, ds50: 0.2 }
    const first = await ownDevices(dir, 10, hub, dialects)
    const kinds = first.map(({ box }) => box?.dialect)
    for (const kind of ['hemipay', 'morefun', 'ds50'])
      expect(kinds.filter((one) => one === kind)).toHaveLength(2)
    const boxes = first.flatMap(({ box }) => box ?? [])
    for (const { dialect, password, secret, productKey, label } of boxes) {
      expect(label).toBe('ABCD2345EFGH')
      if (dialect === 'morefun') {
        expect({ password, productKey }).toEqual({ password: undefined, productKey: 'soundbox' })
        expect(secret).toBe(readFileSync(join(dir, 'fleet-box-secret'), 'utf8'))
      } else
        expect(password).toBe(
          dialect === 'hemipay' ? 'sixteen letters!' : inputs.find((it) => it.trim() === password)?.trim(),
        )
    }
    expect(asked.filter((one) => one.includes('--dialect morefun'))[0]).toMatch(
      /^device add --serial FLBOX-\d{5} --dialect morefun --secret-file .*fleet-box-secret --accept-weak-login$/,
    )
    expect(new Set(first.map(({ serial }) => serial)).size).toBe(10)
    expect(statSync(join(dir, 'fleet-boxes.jsonl')).mode & 0o777).toBe(0o600)
    const calls = asked.length
    const again = await ownDevices(dir, 10, hub, dialects)
    expect(new Set(again.map(({ serial }) => serial))).toEqual(new Set(first.map(({ serial }) => serial)))
    expect(asked).toHaveLength(calls)
    await ownDevices(dir, 20, hub, dialects)
    expect(asked.filter((one) => one.includes('--dialect'))).toHaveLength(12)
  })
})

describe('devices of its own', () => {
  it('are minted once, readable only by the owner, and later only missing ones are minted', async () => {
    const dir = join(temporaryFolder(), 'state')
    const { hub, asked } = standIn()
    const first = await ownDevices(dir, 3, hub)
    expect(await ownDevices(dir, 2, hub)).toEqual(first.slice(0, 2))
    expect((await ownDevices(dir, 5, hub)).slice(0, 3)).toEqual(first)
    expect(asked).toEqual(['device add --count 3 --prefix FLEET-', 'device add --count 2 --prefix FLEET-'])
    expect(statSync(join(dir, 'fleet.jsonl')).mode & 0o777).toBe(0o600)
  })

  it('beyond the limit of one command need several', async () => {
    const { hub, asked } = standIn()
    expect(await ownDevices(temporaryFolder(), 10_001, hub)).toHaveLength(10_001)
    expect(asked).toHaveLength(2)
  })

  it('have one partner, created once', async () => {
    const dir = temporaryFolder()
    const { hub, asked } = standIn()
    expect(await ownPartner(dir, hub)).toEqual({ clientId: 'sbc_1', clientSecret: 'sbs_1' })
    expect(await ownPartner(dir, hub)).toEqual({ clientId: 'sbc_1', clientSecret: 'sbs_1' })
    expect(asked).toHaveLength(1)
    expect(readFileSync(join(dir, 'fleet-partner.json'), 'utf8')).toContain('sbs_1')
  })
})

describe('the limit on open files', () => {
  it('says how to raise it when it is too low, before anything starts', () => {
    expect(() => checkOpenFiles(5_000, 1_024)).toThrow(/5400 open files.*allows 1024.*ulimit -n 5400/)
    expect(() => checkOpenFiles(5_000, 5_400)).not.toThrow()
    expect(() => checkOpenFiles(5_000, undefined)).not.toThrow()
  })

  it('is read from the process', () => {
    expect(openFilesAllowed() ?? 1).toBeGreaterThan(0)
  })
})
