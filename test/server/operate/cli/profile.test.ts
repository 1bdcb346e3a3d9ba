import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SHIPPED } from '../../../../server/dialects/boxes.ts'
import {
  profileCheck,
  profileList,
  profileSave,
  profileShow,
} from '../../../../server/operate/cli/profile.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { openTestStorage } from '../../../support/storage.ts'

function setUp() {
  const { storage } = openTestStorage()
  const workspace = { by: OPERATOR, storage, clock: createVirtualClock() }
  const folder = temporaryFolder()
  const file = (text: string) => {
    writeFileSync(join(folder, 'profile.json'), text)
    return join(folder, 'profile.json')
  }
  const copy = (of: string, change: object) =>
    file(JSON.stringify({ ...SHIPPED.get(of), name: 'own', ...change }))
  return { storage, workspace, file, copy }
}

it('lists the profiles that ship without a database, and then those that are stored', async () => {
  const { json, text } = await profileList(undefined)
  expect(Object(json).map(({ name }: { name: string }) => name)).toEqual([...SHIPPED.keys()])
  expect(json).toContainEqual({
    ...{ name: 'morefun', ships: true, since: null, dialect: 'oneway', proof: 'none', identity: 'weak' },
    ...{ pairing: 'qr', languages: ['vi'], maxAmount: '9999999' },
  })
  expect(text).toMatch(/^NAME .*\nhemipay +hemipay +accepted +device +screen +999\.999\.999 đ +ships\n/)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(90)

  const { storage, workspace, copy } = setUp()
  await profileSave(workspace, copy('hemipay', { played: ['play_end'] }))
  await storage.profiles.save(OPERATOR, 'later', '{"dialect":"later"}', workspace.clock.now())
  const stored = await profileList(storage.profiles)
  expect(Object(stored.json).slice(-2)).toMatchObject([
    { name: 'later', ships: false, dialect: null },
    { name: 'own', ships: false, proof: 'played', since: expect.stringMatching(/^\d{4}-.*Z$/) },
  ])
  expect(stored.text).toMatch(/\nThis hub does not understand those without a dialect\.$/)
})

it('shows a profile that can be edited and saved under another name', async () => {
  const { storage, workspace, file } = setUp()
  const { verbatim = '', done } = await profileShow(undefined, 'clip-numbers', false)
  expect([done, verbatim.split('\n').length > 10]).toEqual([true, true])
  const edited = file(verbatim.replace('"clip-numbers"', '"own"'))
  expect(await profileSave(workspace, edited)).toMatchObject({
    done: true,
    json: { name: 'own', saved: true, replaced: false, devices: 0 },
  })
  const shown = await profileShow(storage.profiles, 'own', true)
  expect(shown.verbatim?.trimEnd()).not.toContain('\n')
  expect(JSON.parse(shown.verbatim ?? '')).toEqual({ ...SHIPPED.get('clip-numbers'), name: 'own' })
  expect(await storage.audit.list({ limit: 9 })).toMatchObject([{ action: 'profile.save', subject: 'own' }])
  expect(await profileShow(storage.profiles, 'nobody', false)).toMatchObject({ done: false })
})

it('checks a file, with a sentence for each problem', () => {
  const { copy, file } = setUp()
  expect(profileCheck(copy('alink', {}))).toMatchObject({
    done: true,
    json: { name: 'own', ok: true, dialect: 'alink', proof: 'played', identity: 'device' },
  })
  const problems = (path: string) => Object(profileCheck(path).json).problems
  expect(problems(copy('hemipay', { name: 'hemipay', keypad: false }))).toEqual([
    'name: hemipay is the name of a profile that ships. Choose another name.',
  ])
  expect(problems(copy('hemipay', { maxAmount: 5, keypad: 'no' }))).toHaveLength(2)
  const refused = profileCheck(file('no JSON'))
  expect(refused).toMatchObject({ done: false, json: { ok: false } })
  expect(refused.text).toMatch(/ is no profile that can be used:\n {2}The file is no JSON text\.$/)
  expect(profileCheck(file(`\ufeff${JSON.stringify(SHIPPED.get('ds50'))}`))).toMatchObject({ done: true })
  expect(() => profileCheck('/no/such/file')).toThrow("/no/such/file can't be read")
})

it('replaces a stored profile, but not by one of another dialect, and none that ships', async () => {
  const { storage, workspace, copy } = setUp()
  await profileSave(workspace, copy('hemipay', {}))
  expect(await profileSave(workspace, copy('hemipay', { keypad: false }))).toMatchObject({
    done: true,
    json: { replaced: true },
  })
  const before = await storage.profiles.list()
  expect(await profileSave(workspace, copy('alink', {}))).toMatchObject({
    done: false,
    text: expect.stringMatching(/^The stored profile own has the dialect hemipay, .* choose another name/),
  })
  expect(await profileSave(workspace, copy('hemipay', { name: 'hemipay' }))).toMatchObject({ done: false })
  expect(await profileSave(workspace, copy('hemipay', { bufferBytes: 70 }))).toMatchObject({ done: false })
  expect(await storage.profiles.list()).toEqual(before)
})
