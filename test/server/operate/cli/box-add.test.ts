import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SHIPPED } from '../../../../server/dialects/boxes.ts'
import { boxLoginHash, expectedPassword } from '../../../../server/dialects/profile/login.ts'
import { type BoxAddOptions, boxAdd } from '../../../../server/operate/cli/box-add.ts'
import { profileSave } from '../../../../server/operate/cli/profile.ts'
import { readConfig } from '../../../../server/platform/config.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { openDataFolder } from '../../../../server/storage/sqlite/file/data-folder.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { AT, createShop } from '../../storage/shop.ts'

/** A hub's folder as the command sees it, and the secrets that it gave out. */
function setUp(env: Record<string, string> = { HUB_BOX_PORT: '1885' }) {
  const { storage, file } = openTestStorage()
  const [path, random] = [temporaryFolder(), createRandomIds()]
  const keys: Buffer[] = []
  const ids = {
    ...random,
    deviceKey() {
      const key = random.deviceKey()
      keys.push(key)
      return key
    },
  }
  const workspace = {
    ...{ by: OPERATOR, storage, ids, clock: createVirtualClock() },
    ...{ config: readConfig(env), folder: openDataFolder(path) },
  }
  const write = (name: string, text: string) => {
    writeFileSync(join(path, name), text)
    return join(path, name)
  }
  /** A copy of a shipped profile. */
  const copy = (of: string, change: object, name = 'own') =>
    write(`${name}.json`, JSON.stringify({ ...SHIPPED.get(of), name, ...change }))
  const add = (options: Partial<BoxAddOptions>, password = '') =>
    boxAdd(workspace, { serial: 'BOX-0001', ...options }, async () => password)
  return { storage, workspace, file, write, copy, add, keys }
}

it('adds a box with a password and a label, which are shown once and kept as hashes', async () => {
  const { storage, add, file, keys } = setUp()
  const { done, json, text } = await add({ dialect: 'hemipay', profile: 'hemipay' })
  expect(json).toEqual({
    ...{ serial: 'BOX-0001', wireId: 'BOX-0001' },
    password: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{16}$/),
    label: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{12}$/),
  })
  const { password, label } = Object(json)
  expect(done).toBe(true)
  for (const shown of [password, label, 'wire id   BOX-0001']) expect(text).toContain(shown)
  const login = await storage.devices.boxLogin(['BOX-0001'])
  expect(login).toMatchObject({ dialect: 'hemipay', profile: 'hemipay', document: undefined })
  expect(login?.loginHash).toEqual(boxLoginHash(password))
  const [key = Buffer.alloc(0)] = keys
  const kept = readFileSync(`${file}-wal`)
  for (const secret of [password, label, key]) expect(kept.includes(secret)).toBe(false)
  expect(await storage.audit.list({ limit: 9 })).toMatchObject([
    { action: 'device.add', subject: 'BOX-0001', details: { dialect: 'hemipay', profile: 'hemipay' } },
  ])
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const registration = shop.registration(clientId, 'BOX-0001', { codeHashes: [], label })
  expect(await storage.devices.register(byPartner(clientId), registration, AT)).toMatchObject({
    kind: 'registered',
  })
})

it.each([
  [{ dialect: 'clip-numbers' }, 'oneway', 'clip-numbers'],
  [{ profile: 'openluat' }, 'oneway', 'openluat'],
  [{ dialect: 'oneway', profile: 'openluat' }, 'oneway', 'openluat'],
  [{ dialect: 'openluat', profile: 'openluat' }, 'oneway', 'openluat'],
  [{ dialect: 'hemipay' }, 'hemipay', 'hemipay'],
])('takes a profile by what it is called: %j', async (options, dialect, profile) => {
  const { storage, add } = setUp()
  expect(await add(options)).toMatchObject({ done: true })
  expect(await storage.devices.boxLogin(['BOX-0001'])).toMatchObject({ dialect, profile })
})

it('takes the password that is in a box, and shows none', async () => {
  const { storage, add } = setUp()
  const { json } = await add({ profile: 'ds50', passwordStdin: true }, 'its own')
  expect(json).toEqual({ serial: 'BOX-0001', wireId: 'BOX-0001', label: expect.any(String) })
  expect((await storage.devices.boxLogin(['BOX-0001']))?.loginHash).toEqual(boxLoginHash('its own'))
  await add({ serial: 'BOX-0002', profile: 'hemipay', passwordStdin: true }, 'other')
  expect((await storage.devices.boxLogin(['BOX-0002']))?.loginHash).toEqual(boxLoginHash('other'))
})

it('makes the secret of a box that computes its password from its own, and shows both', async () => {
  const { storage, add } = setUp()
  const { json } = await add({ dialect: 'alink' })
  const { secret, password } = Object(json)
  const profile = SHIPPED.get('alink')
  expect(profile && expectedPassword(profile, { serial: 'BOX-0001', secret })).toEqual({ password })
  expect((await storage.devices.boxLogin(['BOX-0001&soundbox']))?.loginHash).toEqual(boxLoginHash(password))
})

it.each(['ds50', 'alink', 'morefun'])('takes the password that a box of %s sends', async (profile) => {
  const { storage, add } = setUp()
  expect(await add({ profile, passwordStdin: true, acceptWeakLogin: true }, 'as sent')).toMatchObject({
    done: true,
  })
  const login = await storage.devices.boxLogin(['BOX-0001', 'BOX-0001&soundbox'])
  expect(login?.loginHash).toEqual(boxLoginHash('as sent'))
})

it("computes the password from a maker's secret, which is kept nowhere", async () => {
  const { storage, add, write, file } = setUp()
  const secretFile = write('secret', 'device secret 5417\n')
  const { json, text } = await add({ dialect: 'alink', secretFile })
  expect(json).toEqual({ serial: 'BOX-0001', wireId: 'BOX-0001&soundbox', label: expect.any(String) })
  const profile = SHIPPED.get('alink')
  const login = profile && expectedPassword(profile, { serial: 'BOX-0001', secret: 'device secret 5417' })
  const { password } = Object(login)
  expect((await storage.devices.boxLogin(['BOX-0001&soundbox']))?.loginHash).toEqual(boxLoginHash(password))
  const kept = `${text}${JSON.stringify(json)}${readFileSync(`${file}-wal`, 'latin1')}`
  for (const secret of [password, 'device secret 5417']) expect(kept).not.toContain(secret)
})

it('takes a weak login only when it is accepted', async () => {
  const { add, write, copy } = setUp()
  const secretFile = write('secret', 'product')
  const morefun = { profile: 'morefun', secretFile }
  expect(await add(morefun)).toMatchObject({
    done: false,
    json: { serial: 'BOX-0001', added: false },
    text: expect.stringMatching(/weak: all boxes of the product share its secret.*--accept-weak-login/),
  })
  expect(await add({ ...morefun, acceptWeakLogin: true })).toMatchObject({ done: true })
  const bySerial = { serial: 'BOX-0002', profile: copy('ds50', { login: { password: 'serial' } }) }
  expect((await add(bySerial)).text).toMatch(/weak: its password is the serial/)
  expect(await add({ ...bySerial, acceptWeakLogin: true })).toMatchObject({ done: true })
})

it('takes the profile of a file, and stores it once for all its boxes', async () => {
  const { storage, add, copy, workspace } = setUp()
  const file = copy('clip-numbers', { maxAmount: '9999' })
  expect(await add({ profile: file })).toMatchObject({ done: true })
  expect(await storage.profiles.list()).toMatchObject([{ name: 'own' }])
  // The same content in other lines.
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), null, 4))
  expect(await add({ serial: 'BOX-0002', profile: file })).toMatchObject({ done: true })
  expect(await add({ serial: 'BOX-0003', profile: 'own' })).toMatchObject({ done: true })
  expect(await add({ serial: 'BOX-0004', dialect: 'own' })).toMatchObject({ done: true })

  copy('clip-numbers', { maxAmount: '8888' })
  expect(await add({ serial: 'BOX-0005', profile: file })).toMatchObject({
    done: false,
    text: expect.stringMatching(/^Another profile is stored as own: hub profile save .* for all its devices/),
  })
  expect(await profileSave(workspace, file)).toMatchObject({ done: true, json: { devices: 4 } })
  expect(await add({ serial: 'BOX-0005', profile: file })).toMatchObject({ done: true })
  // A shipped one in a file is none to store.
  const shipped = copy('hemipay', {}, 'hemipay')
  expect(await add({ serial: 'BOX-0006', profile: shipped })).toMatchObject({ done: true })
  expect(await storage.profiles.list()).toHaveLength(1)
})

it('takes no serial and no wire id twice', async () => {
  const { add, copy, storage } = setUp()
  await add({ profile: 'hemipay' })
  expect((await add({ profile: 'openluat' })).text).toBe(
    'The serial BOX-0001 is taken: see hub device show BOX-0001.',
  )
  const profile = copy('hemipay', { wireId: 'BOX-{serial}' })
  expect((await add({ serial: '0001', profile })).text).toMatch(
    /^The wire id BOX-0001 is taken by device BOX-0001: .* Choose another serial\.$/,
  )
  expect(await storage.devices.list()).toHaveLength(1)
  expect(await storage.profiles.list()).toEqual([])
})

it.each<[what: string, options: Partial<BoxAddOptions>, password: string, sentence: RegExp]>([
  ['no dialect', { dialect: 'nobody' }, '', /^There is no dialect nobody: hub profile list/],
  [
    'several profiles',
    { dialect: 'oneway' },
    '',
    /add --profile with clip-numbers, morefun, openluat, ds50, or/,
  ],
  ['its own', { dialect: 'sb/1' }, '', /^A speaker of sb\/1 is added without --dialect/],
  [
    'another dialect',
    { dialect: 'alink', profile: 'ds50' },
    '',
    /^Profile ds50 has the dialect oneway: write/,
  ],
  ['no profile', { profile: 'nobody' }, '', /^There is no profile nobody: see hub profile list/],
  [
    'no secret',
    { profile: 'morefun', acceptWeakLogin: true },
    '',
    /secret of the product: .* by --secret-file/,
  ],
  ['both', { profile: 'alink', passwordStdin: true, secretFile: 'x' }, 'x', /--secret-file, not both/],
  ['needless secret', { profile: 'hemipay', secretFile: 'x' }, '', /leave --secret-file out/],
  ['the serial', { profile: 'ds50', passwordStdin: true }, 'BOX-0001', /^The password is the serial/],
  [
    'a long wire id',
    { profile: 'openluat', serial: 'BOX-0001-0001-0001' },
    '',
    /^The box keeps 16 bytes of a client id, and BOX-0001-0001-0001 is longer/,
  ],
  [
    'a long password',
    { profile: 'openluat', passwordStdin: true },
    'seventeen letters',
    /^The box keeps 16 bytes of a password/,
  ],
])('refuses with a sentence, and adds nothing: %s', async (_, options, password, sentence) => {
  const { add, storage } = setUp()
  const refused = await add(options, password)
  expect(refused).toMatchObject({ done: false, text: expect.stringMatching(sentence) })
  expect(await storage.devices.list()).toEqual([])
  expect(await storage.audit.list({ limit: 9 })).toEqual([])
})

it.each([
  [
    'no word for đồng',
    'hemipay',
    { currency: { code: 'VND', words: { vi: 'yuan' } } },
    /currency\.words\.vi/,
  ],
  ['another currency', 'hemipay', { currency: { code: 'CNY', words: {} } }, /currency\.code is CNY/],
  ['a small buffer', 'clip-numbers', { bufferBytes: 64 }, /sentence for \d+ in vi is too long/],
  ['an unknown field', 'alink', { shout: true }, /shout/],
])('refuses a profile that would fail when money comes: %s', async (_, of, change, sentence) => {
  const { add, copy, storage } = setUp()
  expect(await add({ profile: copy(of, change) })).toMatchObject({
    done: false,
    text: expect.stringMatching(sentence),
  })
  expect(await storage.profiles.list()).toEqual([])
})

it('says when no port for boxes is open', async () => {
  expect((await setUp().add({ profile: 'hemipay' })).text).not.toContain('HUB_BOX_PORT')
  const { add, workspace } = setUp({})
  expect((await add({ profile: 'hemipay' })).text).toMatch(/\nHUB_BOX_PORT is not set here/)
  const hub = { pid: process.pid, http: 'http://127.0.0.1:1' }
  workspace.folder.writeAddresses(hub)
  expect((await add({ serial: 'BOX-0002', profile: 'hemipay' })).text).toMatch(
    /\nThe hub that runs has no port/,
  )
  workspace.folder.writeAddresses({ ...hub, boxTls: 'mqtts://127.0.0.1:2' })
  expect((await add({ serial: 'BOX-0003', profile: 'hemipay' })).text).not.toContain('HUB_BOX_PORT')
})
