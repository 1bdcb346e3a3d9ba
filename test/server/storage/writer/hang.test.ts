import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { ProbingCircuit } from '../../../../server/storage/circuit.ts'
import { openThreadedStorage } from '../../../../server/storage/writer/storage.ts'
import type { ToWriter, WriterData } from '../../../../server/storage/writer/wire.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { until } from '../../../support/wait.ts'
import { newFile, vault, writerHere } from './writer-here.ts'

/** A storage whose writer reads nothing while its disk hangs. */
async function hub() {
  const disk = { hangs: false, held: [] as (() => void)[] }
  const clock = createVirtualClock()
  const circuit = new ProbingCircuit(clock)
  const start = (data: WriterData) => {
    const thread = writerHere()(data)
    const postMessage = (message: ToWriter) => {
      const send = () => thread.postMessage(message)
      if (disk.hangs) disk.held.push(send)
      else send()
    }
    return { ...thread, postMessage }
  }
  const options = storageOptions({ vault, clock, circuit })
  const file = newFile()
  const storage = await openThreadedStorage(file, TEST_MASTER_KEY, options, start)
  onTestFinished(() => {
    goOn()
    return storage.close()
  })
  function goOn() {
    disk.hangs = false
    for (const send of disk.held.splice(0)) send()
  }
  const create = (clientId: string) =>
    storage.partners.create(
      OPERATOR,
      { clientId, name: clientId, createdAt: 0, disabledAt: undefined },
      'secret',
    )
  return { file, disk, clock, circuit, storage, goOn, create }
}

it('refuses what partners wait for while the disk hangs, and carries out what was under way when it goes on', async () => {
  const { disk, clock, circuit, storage, goOn, create } = await hub()
  await create('before')
  disk.hangs = true
  const underWay = create('meanwhile')
  const ofDevice = storage.health.record([])
  let hasEnded = false
  void ofDevice.finally(() => {
    hasEnded = true
  })
  await Promise.all([expect(underWay).rejects.toMatchObject({ kind: 'UNAVAILABLE' }), clock.wind(3_000)])
  expect([circuit.isAway(), hasEnded]).toEqual([true, false])
  await expect(create('refused')).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
  await expect(storage.ping()).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
  goOn()
  await ofDevice
  await until('the answer to the probe', () => !circuit.isAway())
  await create('after')
  expect((await storage.partners.list()).map(({ clientId }) => clientId)).toEqual([
    'after',
    'before',
    'meanwhile',
  ])
})

it('does not take a lock of another process for a disk that hangs', async () => {
  const { clock, circuit, file, create } = await hub()
  const other = new Database(file)
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  const locked = create('locked')
  for (let ms = 0; ms < 3_000; ms += 100) await clock.wind(100)
  expect(circuit.isAway()).toBe(false)
  other.exec('ROLLBACK')
  await locked
})
