import { expect, it } from 'vitest'
import { startTestPostgres } from '../../../support/postgres.ts'
import { until } from '../../../support/wait.ts'
import { openHub } from './open-hub.ts'
import { stillDatabase } from './still-time.ts'

const postgres = await startTestPostgres()

it.skipIf(!postgres)('partners and devices of two hubs on one PostgreSQL', async () => {
  if (!postgres) return
  const url = await stillDatabase(postgres)
  const here = await openHub(postgres, url)
  const there = await openHub(postgres, url, here)
  const { clientId, speaker } = here
  const { serial } = speaker
  const kindOf = async (answer: Promise<unknown>) =>
    answer.then(
      () => 'done',
      (error) => error.kind,
    )
  expect(await kindOf(here.verbs.testAnnouncement(clientId, serial))).toBe('DEVICE_OFFLINE')
  expect(await kindOf(here.verbs.sendVerification(clientId, serial))).toBe('DEVICE_OFFLINE')

  const line = there.connect()
  const obeyUntil = (what: string, isSo: () => boolean | Promise<boolean>) =>
    until(what, async () => {
      await line.obey()
      return isSo()
    })
  await line.born()
  await obeyUntil('the birth', () => there.delivery.isConnected(serial))
  for (const { delivery } of [here, there]) expect(await delivery.presence.isConnected(serial)).toBe(true)

  // Codes of both hubs come one after another: the second one only when the first is counted.
  const sent = [here, there].map(({ verbs }) => verbs.sendVerification(clientId, serial))
  await until('a code', () => line.ofType('code').length > 0)
  const before = line.ofType('code').length
  await obeyUntil('both codes', () => line.ofType('code').length === 2)
  expect(before).toBe(1)
  await line.obey()
  expect((await Promise.all(sent)).map(({ codesRemaining }) => codesRemaining).sort()).toEqual([0, 1])

  const tested = [here, there].map(({ verbs }) => kindOf(verbs.testAnnouncement(clientId, serial)))
  const answers: string[] = []
  for (const one of tested) void one.then((kind) => answers.push(kind))
  await obeyUntil('both answers', () => answers.length === 2)
  expect(answers).toEqual(['done', 'done'])

  // The hub is gone, and has told nobody.
  await there.cluster.leave()
  expect(await here.delivery.presence.isConnected(serial)).toBe(false)
  expect(await kindOf(here.verbs.testAnnouncement(clientId, serial))).toBe('DEVICE_OFFLINE')
})
