import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startHub } from '../../../../../server/hub.ts'
import { masterKeyRotate } from '../../../../../server/operate/cli/master-key-rotate.ts'
import type { IdleFolder } from '../../../../../server/operate/cli/workspace.ts'
import { createPartner } from '../../../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../../../server/platform/clock.ts'
import { readConfig } from '../../../../../server/platform/config.ts'
import { OperatorError } from '../../../../../server/platform/errors.ts'
import { createRandomIds } from '../../../../../server/platform/ids.ts'
import { createLog } from '../../../../../server/platform/log.ts'
import { openDataFolder } from '../../../../../server/storage/sqlite/file/data-folder.ts'
import { lockForOneHub } from '../../../../../server/storage/sqlite/file/hub-lock.ts'
import { openFolder, openHere } from '../../../../../server/storage/sqlite/file/open-folder.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { connectPartner } from '../../../../support/http/partner-client.ts'
import { hubEnv, runHub } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY, testMasterKey } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'

/** One sentence for a person: no stack, no code, ends like a sentence. */
const ONE_SENTENCE = /^(?!.*\n.*\n)(?!.*\bat .*:\d+:\d+)[A-Z].*\.\n$/s
const ROTATE = ['master-key', 'rotate', '--json']
const SET_NOW = expect.stringMatching(/^Set HUB_MASTER_KEY to the value of HUB_NEXT_MASTER_KEY now/)
const NEXT = testMasterKey('the next').toString('base64')

/** Settings without a master key: it is a file in the folder. */
const keyFileEnv = (folder: string) => hubEnv(folder, { HUB_MASTER_KEY: '' })

/** A partner, made as the command line does beside a running hub. */
async function makePartner(folder: string) {
  const ids = createRandomIds()
  const { storage } = await openFolder(
    { folder: openDataFolder(folder), masterKey: undefined, ...storageOptions({ ids }) },
    openHere,
  )
  const made = await createPartner(
    { by: OPERATOR, partners: storage.partners, clock: systemClock, ids },
    'Acme',
  )
  storage.close()
  return made
}

it('is refused in a sentence while a hub is running on the folder', async () => {
  const folder = temporaryFolder()
  await makePartner(folder)
  const key = readFileSync(join(folder, 'master.key'), 'utf8')
  onTestFinished(lockForOneHub(openDataFolder(folder).lockFile))
  const refused = await runHub(ROTATE, keyFileEnv(folder))
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(ONE_SENTENCE)
  expect(refused.stderr).toMatch(/^A hub is running on this data folder \(.*, pid \d+\): stop it first/)
  expect(readFileSync(join(folder, 'master.key'), 'utf8')).toBe(key)
})

it('rotates the key file, and the hub works as before', async () => {
  const folder = temporaryFolder()
  const env = keyFileEnv(folder)
  const credentials = await makePartner(folder)
  const key = (name = 'master.key') => readFileSync(join(folder, name), 'utf8')
  const before = key()

  const rotated = await runHub(ROTATE, env)
  expect(rotated).toMatchObject({ code: 0, stderr: '' })
  expect(rotated.json).toEqual({
    rotated: true,
    keyFile: join(folder, 'master.key'),
    previousKeyFile: join(folder, 'master.key.previous'),
    resealed: {
      ...{
        vaultCanary: 1,
        partnerSecrets: 1,
        users: 0,
        stores: 0,
        deviceRekeys: 0,
        devices: 0,
        bills: 0,
        payments: 0,
        deletedPayments: 0,
      },
      ...{ idempotencyKeys: 0, webhooks: 0, deliveries: 0, bankAccounts: 0, statementRows: 0 },
    },
    codesEnded: 0,
    scrubbed: true,
    todo: [expect.stringMatching(/^Backups .* keep it with them\.$/)],
  })
  expect(key()).not.toBe(before)
  expect(key('master.key.previous')).toBe(before)

  const log = createLog('silent')
  const hub = await startHub(readConfig(env), {
    clock: systemClock,
    ids: createRandomIds(),
    log,
    openStorage: openHere,
  })
  onTestFinished(() => hub.stop())
  const partner = await connectPartner(() => hub.http, credentials)
  expect((await partner.call('GET', '/device/SB-NONE')).status).toBe(404)
  const doctor = await runHub(['doctor', '--json'], env)
  expect(doctor.json).toMatchObject({
    checks: expect.arrayContaining([
      {
        check: 'key',
        ok: true,
        finding: expect.stringMatching(/master\.key, since .*master\.key\.previous$/),
      },
    ]),
  })
})

it('rotates to HUB_NEXT_MASTER_KEY when the key is in the environment, and names the variable to set', async () => {
  const folder = temporaryFolder()
  const env = hubEnv(folder)
  const none = await runHub(ROTATE, { ...env, HUB_NEXT_MASTER_KEY: NEXT })
  expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/^There is no database in .*\.\n$/) })
  expect(readdirSync(folder)).toEqual([])

  const open = (key: string | undefined) =>
    openFolder({ folder: openDataFolder(folder), masterKey: parsed(key), ...storageOptions({}) }, openHere)
  const { storage } = await open(env.HUB_MASTER_KEY)
  storage.close()
  const rotated = await runHub(ROTATE, { ...env, HUB_NEXT_MASTER_KEY: NEXT })
  expect(rotated).toMatchObject({
    code: 0,
    json: { rotated: true, keyFile: null, resealed: { vaultCanary: 1 } },
  })
  expect(Object(rotated.json).todo).toContainEqual(SET_NOW)
  await expect(open(env.HUB_MASTER_KEY)).rejects.toThrow(/^The master key is not the one/)
  const rotatedTo = await open(NEXT)
  rotatedTo.storage.close()
  expect(existsSync(join(folder, 'master.key'))).toBe(false)
})

describe('the settings of the keys', () => {
  const HUB_MASTER_KEY = TEST_MASTER_KEY.toString('base64')
  const idle = (env: Record<string, string>, isSealedUnder = false): IdleFolder => ({
    config: readConfig(env),
    folder: openDataFolder(temporaryFolder()),
    isSealedUnder: () => isSealedUnder,
    rotateMasterKey: () => {
      throw new Error('nothing must be rotated')
    },
  })

  it.each([
    { env: { HUB_MASTER_KEY }, says: /^HUB_NEXT_MASTER_KEY is not set: / },
    {
      env: { HUB_MASTER_KEY, HUB_NEXT_MASTER_KEY: HUB_MASTER_KEY },
      says: /^HUB_NEXT_MASTER_KEY is the same /,
    },
    { env: { HUB_NEXT_MASTER_KEY: NEXT }, says: /^HUB_NEXT_MASTER_KEY is used only with HUB_MASTER_KEY: / },
  ])('is refused in a sentence: $says', ({ env, says }) => {
    expect(() => masterKeyRotate(idle(env))).toThrow(OperatorError)
    expect(() => masterKeyRotate(idle(env))).toThrow(says)
  })

  it('are refused when the next key is malformed', () => {
    expect(() => idle({ HUB_NEXT_MASTER_KEY: 'short' })).toThrow(
      /HUB_NEXT_MASTER_KEY must be 32 bytes in base64/,
    )
  })

  it('are accepted when the database is already under the next key', () => {
    expect(masterKeyRotate(idle({ HUB_MASTER_KEY, HUB_NEXT_MASTER_KEY: NEXT }, true))).toMatchObject({
      done: true,
      json: { rotated: false, todo: [SET_NOW] },
    })
  })

  it('ask for disk space when the file could not be rewritten', () => {
    const rotateMasterKey = () => ({ resealed: { users: 2 }, codesEnded: 0, scrubbed: false })
    const { text } = masterKeyRotate({
      ...idle({ HUB_MASTER_KEY, HUB_NEXT_MASTER_KEY: NEXT }),
      rotateMasterKey,
    })
    expect(text).toMatch(
      /^The master key is rotated: 2 rows .*\nSet HUB_MASTER_KEY .*make room for two more copies/s,
    )
  })
})

function parsed(key: string | undefined): Buffer {
  return Buffer.from(key ?? '', 'base64')
}
