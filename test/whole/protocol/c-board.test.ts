import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { provision } from '../../../simulator/firmware/emulator/factory-page.ts'
import { CUT_CODE, startEmulator } from '../../../simulator/firmware/emulator/qemu.ts'
import { makeThumb, missingForThumb } from '../../protocol/c/thumb.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { onceForRun } from '../../support/processes/once-for-run.ts'
import { until } from '../../support/wait.ts'

const missing = missingForThumb()
if (missing !== undefined) process.stderr.write(`The firmware's board is not tested: ${missing}.\n`)

const FACTORY = {
  serial: 'SB-0001',
  key: new Uint8Array(32).fill(7),
  host: 'hub.invalid',
  port: 1883,
  tls: 'nobody' as const,
}

describe.skipIf(missing !== undefined)('the board of the firmware', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await onceForRun('firmware-faults', (out) => makeThumb(out, ['FAULTS=1']))
  })

  /** Switches a board on whose module never answers. */
  function switchOn(state: string, ...words: string[]) {
    const lines: Record<string, unknown>[] = []
    const emulator = startEmulator({
      image: `${folder}/firmware.elf`,
      folder: state,
      words: ['flash=flash', `speech=${folder}/speech.bin`, ...words],
      onLog: (line) => void lines.push(Object(JSON.parse(line))),
      onModem: () => undefined,
      onSound: () => undefined,
      onPins: () => undefined,
    })
    const next = (event: string, nth = 1) =>
      until(`"${event}" number ${nth}`, () => lines.filter((line) => line.event === event)[nth - 1])
    return { ...emulator, lines, next }
  }

  function provisioned() {
    const state = temporaryFolder()
    provision(`${state}/flash`, FACTORY)
    return state
  }

  it('says that it was never provisioned, and stays off', async () => {
    const board = switchOn(temporaryFolder())
    expect(await board.next('unprovisioned')).toEqual({
      event: 'unprovisioned',
      reason: 'the factory area is blank',
    })
    expect(board.lines[0]).toMatchObject({ event: 'boot', reset: 'power' })
    board.toPins('q')
    expect(await board.ended).toMatchObject({ code: 0 })
  })

  it('restarts after a fault, an overflow of its stack and a loop that hangs, and says which', async () => {
    const board = switchOn(provisioned())
    await board.next('boot')
    board.toPins('f')
    expect(await board.next('boot', 2)).toMatchObject({ reset: 'fault', pc: expect.any(Number) })
    board.toPins('o')
    expect(await board.next('boot', 3)).toMatchObject({ reset: 'fault' })
    board.toPins('h')
    expect(await board.next('boot', 4)).toMatchObject({ reset: 'watchdog', pc: expect.any(Number) })
    board.toPins('q')
    expect(await board.ended).toMatchObject({ code: 0 })
  })

  it('sleeps while nothing is due', async () => {
    const board = switchOn(provisioned())
    await board.next('boot')
    const [startMs, startCpuMs] = [Date.now(), cpuMs(board.pid)]
    await until('3 s', () => Date.now() - startMs >= 3_000)
    const share = (cpuMs(board.pid) - startCpuMs) / (Date.now() - startMs)
    await board.kill()
    expect(share).toBeLessThan(0.1)
  })

  it('tells of speech that is missing or damaged, and starts', async () => {
    for (const [words, reason] of [
      ['speech=none', 'there is no image'],
      [`speech=${folder}/firmware.elf`, 'the image of the speech is damaged'],
    ] as const) {
      const board = switchOn(provisioned(), words)
      expect(await board.next('no-speech')).toEqual({ event: 'no-speech', reason })
      await board.kill()
    }
  })

  it('sb/1 12.3: starts after a power cut that has torn any write of its first start', async () => {
    let cuts = 0
    for (let cut = 1; ; cut += 3) {
      const state = provisioned()
      const torn = switchOn(state, `cut=${cut}`)
      torn.toPins('q')
      const { code } = await torn.ended
      if (code === 0) break
      expect(code).toBe(CUT_CODE)
      cuts += 1
      const board = switchOn(state)
      await board.next('boot')
      board.toPins('q')
      expect(await board.ended).toMatchObject({ code: 0 })
      // It came as far as the end of its session.
      expect(board.lines.map(({ event }) => event)).toEqual(['boot', 'stack'])
    }
    expect(cuts).toBeGreaterThan(2)
  })
})

/** The processor time of a process so far. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
