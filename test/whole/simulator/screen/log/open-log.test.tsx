import { cleanup } from 'ink-testing-library'
import { afterEach, describe, expect, it } from 'vitest'
import type { FeedItem } from '../../../../../simulator/speaker/feed.ts'
import { packetOf, SIXTY, SIZES, snapshotOf } from '../../../../simulator/screen/model.ts'
import { show, standIn } from '../../../../simulator/screen/stand-in.tsx'

afterEach(cleanup)

const UP = '\u001b[A'
const HOME = '\u001b[H'
const END = '\u001b[F'
const ESCAPE = '\u001b'
const BACKSPACE = '\u007f'
const telemetry: FeedItem = {
  atMs: 0,
  kind: 'packet',
  note: { direction: 'out', packet: 'publish', message: { topic: 'telemetry', bytes: 90, frame: '{}' } },
}

describe.each([SIZES[0], SIZES[1]])('the open log at $columns x $rows', (size) => {
  it('scrolls; new lines do not move it, and are counted', async () => {
    const { source, tell } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, shows, hides, lastFrame } = await show(source, { size })
    tell(...SIXTY)
    await shows('played #59')
    press(HOME)
    await shows('line 1 of 60')
    await hides('played #59')
    expect(lastFrame()).toContain('played #0')
    const before = lastFrame()
      ?.split('\n')
      .filter((line) => line.includes('played'))
    tell(...SIXTY.slice(0, 2))
    await shows('line 1 of 62')
    expect(
      lastFrame()
        ?.split('\n')
        .filter((line) => line.includes('played')),
    ).toEqual(before)
    press(END)
    await shows('line 62 of 62')
    press('l')
    await hides('line 62')
  })

  it('searches, shows only lines with a text, and says what it has copied', async () => {
    const { source, tell } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, shows, hides, copied, pressed } = await show(source, { size })
    tell(...SIXTY, packetOf('in', '{"first":1}', { t: 'announce', n: 7 }))
    await shows('announce')
    press('/', 'PLAYED #3')
    await shows('/PLAYED #3▏')
    await shows('11 of 11 with “P')
    press('\r', 'n', 'c')
    await shows('copied 1 line')
    expect(copied).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d • played #38$/)])
    press('&', 'd #1x', BACKSPACE, '\r')
    await shows('with “d #1”')
    await hides('played #3')
    press('C')
    await shows('copied 11 lines')
    expect(copied[1]?.split('\n')).toHaveLength(11)
    // Keys of the embedder and letters of a search do not meet.
    press('/', 'pq')
    await shows('/pq▏')
    press(ESCAPE)
    await hides('/pq▏')
    expect(pressed).toEqual([])
    press('p')
    expect(pressed).toEqual(['p'])
  })

  it('opens the frame of a packet, and telemetry line by line', async () => {
    const { source, tell } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, shows, copied } = await show(source, { size })
    tell(...SIXTY.slice(0, 3), packetOf('in', '{"first":1}', { t: 'announce', n: 7 }), telemetry, telemetry)
    await shows('×2')
    press('l', '\r')
    await shows('of 6')
    press(UP, '\r')
    await shows('"first": 1')
    press('c')
    await shows('copied the frame')
    expect(copied).toEqual(['{"first":1}'])
    press('q')
    await shows('line 4 of 6')
  })

  it('keeps the keys of the speaker, and has a help of its own', async () => {
    const { source, controls, calls } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, shows, hides } = await show(source, { size, controls })
    press('l', 'x', '[')
    expect(calls).toEqual(['cut', 'volume 70'])
    press('?')
    await shows('keys of the log')
    for (const text of ['mark and find a text', 'copy the marked line', '→   sent']) await shows(text)
    press('?')
    await hides('keys of the log')
    press('v')
    await shows('packets')
    await hides('packets and events')
  })
})

it('the kinds stay when the log is closed', async () => {
  const { source, tell } = standIn(snapshotOf({ screen: 'unregistered' }))
  const { press, shows, hides, lastFrame } = await show(source)
  tell(packetOf('in', '{}', { t: 'announce', n: 7 }), {
    atMs: 0,
    kind: 'event',
    event: { event: 'played', n: 7 },
  })
  await shows('played #7')
  press('l', 'v', 'l')
  await hides('played #7')
  expect(lastFrame()).toContain('announce')
  press('l', 'v', 'q')
  await shows('played #7')
  expect(lastFrame()).not.toContain('announce')
})
