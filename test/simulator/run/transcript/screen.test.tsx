import { cleanup, render } from 'ink-testing-library'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createReplay } from '../../../../simulator/run/transcript/replay.ts'
import { progressOf, ReplayApp } from '../../../../simulator/run/transcript/replay-screen.tsx'
import type { Moment } from '../../../../simulator/run/transcript/transcript.ts'
import { eventually } from '../../../support/wait.ts'
import { snapshotOf } from '../../screen/model.ts'
import { WoundClock } from '../../support/wound-clock.ts'

afterEach(cleanup)

const RIGHT = '\u001b[C'
const LEFT = '\u001b[D'

/** A minute in which number n is played at second n. */
function shown() {
  const moments = Array.from({ length: 61 }, (_, n): Moment => {
    const atMs = n * 1000
    const item = { atMs, kind: 'event', event: { event: 'played', n } } as const
    return { atMs, item, snapshot: snapshotOf({ screen: 'idle', name: `Shop ${n}`, qr: '' }), eventful: true }
  })
  const transcript = { serial: 'SPK-0001', program: '0.1.0', startedAtMs: 0, moments, complete: true }
  const replay = createReplay(transcript, { clock: new WoundClock(), speed: 1, fromMs: 0, maxIdleMs: 9_000 })
  const quit = vi.fn()
  const { stdin, lastFrame } = render(
    <ReplayApp replay={replay} complete colour={false} tmux={undefined} onQuit={quit} />,
  )
  const press = async (key: string, frame: (text: string) => void) => {
    stdin.write(key)
    await eventually(() => frame(lastFrame() ?? ''))
  }
  return { replay, press, quit, lastFrame }
}

describe('the screen of a replay', () => {
  it('jumps with the arrow keys and shows the matching log', async () => {
    const { press } = shown()
    await press(RIGHT, (frame) => expect(frame).toContain('Shop 5'))
    await press(RIGHT, (frame) => {
      expect(frame).toContain('Shop 10')
      expect(frame).toContain('played #10')
    })
    await press(LEFT, (frame) => {
      expect(frame).toContain('Shop 5')
      expect(frame).toContain('played #5')
      expect(frame).not.toContain('played #6')
    })
    await press('.', (frame) => expect(frame).toContain('Shop 6'))
    await press(',', (frame) => expect(frame).toContain('Shop 5'))
  })

  it('keeps the open log over a jump, and plays while it is searched', async () => {
    const { replay, press } = shown()
    await press(RIGHT, (frame) => expect(frame).toContain('played #5'))
    await press('l', (frame) => expect(frame).toContain('line 6 of 6'))
    await press(RIGHT, (frame) => expect(frame).toContain('line 6 of 11'))
    await press(LEFT, (frame) => expect(frame).toContain('line 6 of 6'))
    await press(LEFT, (frame) => expect(frame).toContain('line 1 of 1'))
    await press('/', (frame) => expect(frame).toContain('keep · Esc drop'))
    // A space is a part of the text, not the key that plays.
    await press('d #', (frame) => expect(frame).toContain('/d #▏'))
    expect(replay.state().paused).toBe(true)
    await press('\r', (frame) => expect(frame).toContain('1 of 1 with “d #”'))
    await press(' ', () => expect(replay.state().paused).toBe(false))
  })

  it('plays and pauses, changes its speed, helps and quits', async () => {
    const { replay, press, quit } = shown()
    await press(' ', () => expect(replay.state().paused).toBe(false))
    await press(' ', () => expect(replay.state().paused).toBe(true))
    await press('+', () => expect(replay.state().speed).toBe(2))
    await press('-', () => expect(replay.state().speed).toBe(1))
    await press('++-', () => expect(replay.state().speed).toBe(2))
    await press('-', () => expect(replay.state().speed).toBe(1))
    await press('?', (frame) => expect(frame).toContain('5 seconds back or forward'))
    await press('?', (frame) => expect(frame).toContain('Shop 0'))
    await press('q', () => expect(quit).toHaveBeenCalled())
  })
})

it.each([
  [{}, true, '▶ 0:42 / 1:03:05 · 4×'],
  [{ paused: true }, true, '‖ 0:42 / 1:03:05 · 4×'],
  [{ paused: true, atEnd: true, positionMs: 3_785_000 }, true, '■ 1:03:05 / 1:03:05 · 4×'],
  [{ paused: true, atEnd: true, positionMs: 3_785_000 }, false, '■ 1:03:05 / 1:03:05 · 4× · cut off here'],
])('the progress of %o, complete %s, reads %s', (change, complete, text) => {
  const state = { positionMs: 42_900, lengthMs: 3_785_000, speed: 4, paused: false, atEnd: false, jumps: 0 }
  expect(progressOf({ ...state, ...change }, complete)).toBe(text)
})
