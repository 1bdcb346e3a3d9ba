import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPlayer } from '../../../../simulator/sound/player.ts'
import { findPrograms } from '../../../../simulator/sound/programs.ts'
import { isRunning, playedBy, playerScript } from '../../../simulator/support/player-script.ts'
import { WoundClock } from '../../../simulator/support/wound-clock.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { eventually } from '../../../support/wait.ts'

/** A second of near silence. */
const SECOND = { rate: 16_000, samples: new Int16Array(16_000).fill(1) }

function playerOf(scripts: Record<string, string>) {
  const dir = temporaryFolder()
  for (const [name, does] of Object.entries(scripts)) playerScript(dir, name, does)
  const clock = new WoundClock()
  const troubles: string[] = []
  const onTrouble = (reason: string) => void troubles.push(reason)
  const player = createPlayer({ programs: findPrograms(dir), clock, onTrouble })
  onTestFinished(() => player.close())
  const names = () => playedBy(dir).map(({ name }) => name)
  const until = (expected: string[]) => eventually(() => expect(names()).toEqual(expected))
  return { dir, player, clock, troubles, until }
}

describe('the programs', () => {
  it('are those on the PATH, best first, each from the first folder that has it', () => {
    const [one, other] = [temporaryFolder(), temporaryFolder()]
    const aplay = playerScript(one, 'aplay')
    playerScript(other, 'aplay')
    const paplay = playerScript(other, 'paplay')
    writeFileSync(join(one, 'pw-play'), 'not to be run')
    const found = findPrograms(['', one, other, '/no/such/folder'].join(delimiter))
    expect(found.map(({ path }) => path)).toEqual([paplay, aplay])
    expect(findPrograms(undefined)).toEqual([])
  })
})

describe('a sound', () => {
  it('is played from a file that only its owner can read, and that is deleted at the end', async () => {
    const { dir, player, troubles, until } = playerOf({ aplay: 'cp "$2" "$(dirname "$0")/heard.wav"' })
    player.play(SECOND)
    await until(['aplay'])
    const [{ args = [] } = {}] = playedBy(dir)
    expect(args).toEqual(['-q', expect.stringMatching(/sound\.wav$/)])
    await eventually(() => expect(existsSync(join(dir, 'heard.wav'))).toBe(true))
    player.close()
    expect(existsSync(dirname(args[1] ?? ''))).toBe(false)
    expect(troubles).toEqual([])
  })

  it('waits for the previous one', async () => {
    const { dir, player, until } = playerOf({ aplay: 'while [ ! -e "$0.go" ]; do sleep 0.02; done' })
    player.play(SECOND)
    await until(['aplay'])
    player.play(SECOND)
    expect(playedBy(dir)).toHaveLength(1)
    writeFileSync(join(dir, 'aplay.go'), '')
    await until(['aplay', 'aplay'])
  })

  it('is skipped when its time passed while it waited', async () => {
    const { dir, player, clock, until } = playerOf({ aplay: 'while [ ! -e "$0.go" ]; do sleep 0.02; done' })
    player.play(SECOND)
    player.play(SECOND)
    await until(['aplay'])
    clock.wind(1_500)
    player.play({ ...SECOND, samples: SECOND.samples.subarray(0, 8_000) })
    writeFileSync(join(dir, 'aplay.go'), '')
    await until(['aplay', 'aplay'])
    await eventually(() => expect(isRunning(playedBy(dir)[1]?.pid ?? 0)).toBe(false))
    expect(playedBy(dir)).toHaveLength(2)
  })

  it('is stopped by silence, with the queue', async () => {
    const { dir, player, troubles, until } = playerOf({ aplay: 'exec sleep 60' })
    player.play(SECOND)
    player.play(SECOND)
    await until(['aplay'])
    player.silence()
    await eventually(() => expect(isRunning(playedBy(dir)[0]?.pid ?? 0)).toBe(false))
    expect(playedBy(dir)).toHaveLength(1)
    expect(troubles).toEqual([])
    player.play(SECOND)
    await until(['aplay', 'aplay'])
  })
})

describe('a program', () => {
  it('that does not work is replaced by the next for good', async () => {
    const { player, troubles, until } = playerOf({ paplay: 'echo refused >&2; exit 1', aplay: '' })
    player.play(SECOND)
    await until(['paplay', 'aplay'])
    player.play(SECOND)
    await until(['paplay', 'aplay', 'aplay'])
    expect(troubles).toEqual([])
  })

  it('that is the last and does not work is reported once, with its own message', async () => {
    const { player, troubles, until } = playerOf({ aplay: 'echo "no soundcards found" >&2; exit 1' })
    player.play(SECOND)
    await until(['aplay'])
    await eventually(() => expect(troubles).toEqual(['no sound from aplay: no soundcards found']))
    player.play(SECOND)
    expect(troubles).toHaveLength(1)
  })

  it('that has worked before gets another chance', async () => {
    const failsOnce = 'n=$(wc -l < "$(dirname "$0")/log"); [ "$n" -ne 2 ] || exit 3'
    const { player, troubles, until } = playerOf({ aplay: failsOnce })
    for (const called of [['aplay'], ['aplay', 'aplay'], ['aplay', 'aplay', 'aplay']]) {
      player.play(SECOND)
      await until(called)
    }
    expect(troubles).toEqual(['no sound from aplay: it ended with 3'])
  })

  it('that is missing is reported at the first sound', () => {
    const { player, troubles } = playerOf({})
    player.play(SECOND)
    player.play(SECOND)
    expect(troubles).toEqual([expect.stringMatching(/^no sound: none of pw-play, .* is installed$/)])
  })

  it('that can’t be started is reported', async () => {
    const dir = temporaryFolder()
    writeFileSync(join(dir, 'aplay'), 'no program', { mode: 0o755 })
    const troubles: string[] = []
    const clock = new WoundClock()
    const player = createPlayer({
      programs: [{ name: 'aplay', path: join(dir, 'gone'), args: [] }],
      clock,
      onTrouble: (reason) => void troubles.push(reason),
    })
    onTestFinished(() => player.close())
    player.play(SECOND)
    await eventually(() =>
      expect(troubles).toEqual([expect.stringMatching(/^no sound from aplay: spawn .* ENOENT/)]),
    )
  })

  it('that does not end is killed', async () => {
    const { dir, player, clock, troubles, until } = playerOf({ aplay: 'exec sleep 60' })
    player.play(SECOND)
    await until(['aplay'])
    clock.wind(3_999)
    expect(troubles).toEqual([])
    clock.wind(1)
    expect(troubles).toEqual(['no sound from aplay: it does not end'])
    await eventually(() => expect(isRunning(playedBy(dir)[0]?.pid ?? 0)).toBe(false))
  })
})
