import { cleanup, render } from 'ink-testing-library'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { App } from '../../../simulator/screen/app.tsx'
import { FAULTS } from '../../../simulator/speaker/device/state/faults.ts'
import { eventually } from '../../support/wait.ts'
import { packetOf, SIZES, STATIC_QR, snapshotOf } from './model.ts'
import { show, standIn } from './stand-in.tsx'

afterEach(cleanup)

const UP = '\u001b[A'
const DOWN = '\u001b[B'
const PAGE_DOWN = '\u001b[6~'
const PAGE_UP = '\u001b[5~'
const ESCAPE = '\u001b'

describe('the live screen', () => {
  it('follows the speaker', async () => {
    const { source, become } = standIn(snapshotOf({ screen: 'connecting' }))
    const { shows, lastFrame } = await show(source)
    expect(lastFrame()).toContain('Đang kết nối')
    become(snapshotOf({ screen: 'paid', amount: '50000', bill: 'B-1' }))
    await shows('ĐÃ THANH TOÁN')
    expect(lastFrame()).toContain('played #1')
  })

  it('animates while a sound plays', async () => {
    const sounding = { kind: 'sentence', n: 4, text: 'Đã nhận', said: 'Đã', amount: '1' } as const
    const { source } = standIn(snapshotOf({ screen: 'unregistered' }, { sounding }))
    const { stdout } = await show(source)
    const before = stdout.lastFrame()
    const after = await new Promise<string>((resolve) => {
      vi.spyOn(stdout, 'write').mockImplementation((frame) => {
        if (frame !== before) resolve(frame)
      })
    })
    expect(after).toContain('Đã nhận')
  })

  it('limits its log, and omits keepalive packets', async () => {
    const { source, tell } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { shows, press } = await show(source)
    for (let n = 0; n < 1200; n += 1) {
      tell(packetOf('in', '{}', { t: 'announce', n }))
      tell({ atMs: 0, kind: 'packet', note: { direction: 'in', packet: 'pingresp' } })
    }
    await shows('#1199')
    press('f')
    await shows('1000 of 1000')
  })
})

describe('its keys', () => {
  it('control the speaker', async () => {
    const missed = { screen: 'missed', count: 1, amount: '1' } as const
    const { source, controls, calls, become } = standIn(snapshotOf(missed))
    const { press, pressed } = await show(source, { controls })
    press('r', 'd', 'x', 'o', 'p', 'y', 'q')
    expect(calls).toEqual(['reconnect', 'dismiss', 'cut', 'power off'])
    expect(pressed).toEqual(['p', 'quit'])
    become(snapshotOf({ screen: 'off' }, { link: 'offline', power: false }))
    press('o', 'x')
    expect(calls.slice(4)).toEqual(['power on', 'start'])
  })

  it('act one after another when they arrive together; terminal reports are ignored', async () => {
    const { source, controls, calls } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, pressed, shows } = await show(source, { controls })
    press('pp', 'xr')
    expect(pressed).toEqual(['p', 'p'])
    expect(calls).toEqual(['cut', 'reconnect'])
    press('\u001b[I', '\u001b[<0;1;1M')
    expect(calls).toEqual(['cut', 'reconnect'])
    press('bab\r?')
    expect(calls.slice(2)).toEqual([`${FAULTS[0]} true`, `${FAULTS[1]} true`])
    await shows('pull the network cable')
  })

  it('[ and ] are the volume buttons, and end at 0 and 100', async () => {
    const at = (volume: number) =>
      snapshotOf({ screen: 'unregistered' }, { settings: { ver: 1, volume, lang: 'vi' } })
    const { source, controls, calls, become } = standIn(at(80))
    const { press } = await show(source, { controls })
    press('[', ']')
    become(at(95))
    press(']')
    become(at(100))
    press(']')
    become(at(0))
    press('[')
    expect(calls).toEqual(['volume 70', 'volume 90', 'volume 100'])
  })

  it('x pulls the cable while the speaker is retrying', async () => {
    const { source, controls, calls } = standIn(
      snapshotOf({ screen: 'connecting' }, { link: 'offline', retryInMs: 5 }),
    )
    const { press } = await show(source, { controls })
    press('x')
    expect(calls).toEqual(['cut'])
  })

  it('for control do nothing for a recording, and are not offered', async () => {
    const { source, calls } = standIn(snapshotOf({ screen: 'missed', count: 1, amount: '1' }))
    const { press, pressed, lastFrame } = await show(source)
    press('r', 'd', 'x', 'o', 'b', '[', ']', 'q')
    expect(calls).toEqual([])
    expect(pressed).toEqual(['quit'])
    for (const label of ['reconnect', 'dismiss', 'cable', 'on/off', 'break', 'quieter', 'louder'])
      expect(lastFrame()).not.toContain(label)
  })

  it('b opens the faults: letters switch them; q and other keys do not', async () => {
    const { source, controls, calls, become } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, pressed, shows, hides } = await show(source, { controls })
    press('b')
    await shows('○ off  broken audio')
    press('e', 'z', 'r')
    expect(calls).toEqual(['broken-audio true'])
    become(snapshotOf({ screen: 'unregistered' }, { faults: ['broken-audio'] }))
    await shows('▲ on   broken audio')
    await shows('⚠ broken audio')
    press('e', 'b')
    expect(calls.slice(1)).toEqual(['broken-audio false', 'drop-acks true'])
    press('q')
    await hides('▲ on   broken audio')
    expect(pressed).toEqual([])
  })

  it('? opens the help and closes it, and so does Escape', async () => {
    const { source, controls } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, shows, hides } = await show(source, { controls })
    press('?')
    await shows('pull the network cable')
    press('?')
    await hides('pull the network cable')
    press('?')
    await shows('pull the network cable')
    press(ESCAPE)
    await hides('pull the network cable')
  })

  it('f opens the last frame; ↑ and ↓ select others; PgDn and PgUp scroll', async () => {
    const { source, tell } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, shows, hides } = await show(source)
    tell(packetOf('in', `{"first":"${'x'.repeat(2000)}"}`, { t: 'qr', n: 1 }))
    tell(packetOf('out', '{"second":2}', { n: 2 }))
    await shows('ack')
    press('f')
    await shows('2 of 2')
    await shows('"second": 2')
    press(DOWN, UP)
    await shows('1 of 2')
    await shows('"first"')
    press(...Array.from({ length: 40 }, () => PAGE_DOWN))
    await hides('"first":')
    // Scrolling stopped at the end: one page up shows other rows.
    press(PAGE_UP)
    await shows('rows')
    press(...Array.from({ length: 40 }, () => PAGE_UP))
    await shows('rows 1 to')
    press('f')
    await hides('1 of 2')
  })

  it('an open frame stays while others arrive', async () => {
    const { source, tell } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { press, shows } = await show(source)
    tell(packetOf('in', '{"first":1}', { t: 'qr', n: 1 }))
    tell(packetOf('in', '{"second":2}', { t: 'qr', n: 2 }))
    await shows('#2')
    press('f', UP)
    await shows('1 of 2')
    tell(packetOf('in', '{"third":3}', { t: 'qr', n: 3 }))
    await shows('1 of 3')
    await shows('"first": 1')
  })

  it('z shows the QR alone until Escape; i inverts it', async () => {
    const { source } = standIn(snapshotOf({ screen: 'idle', name: 'Phở', qr: STATIC_QR }))
    const { press, shows, hides, lastFrame } = await show(source, { size: SIZES[0] })
    press('z')
    await hides('● power')
    const light = lastFrame()
    press('i')
    await eventually(() => expect(lastFrame()).not.toBe(light))
    press(ESCAPE)
    await shows('● power')
  })

  it('the embedder’s page opens with its key; Ctrl+C quits from everywhere', async () => {
    const { source } = standIn(snapshotOf({ screen: 'unregistered' }))
    const page = { key: 'k', label: 'keys', lines: ['curl -s $HUB'] }
    const { press, pressed, shows, hides } = await show(source, { page })
    press('k')
    await shows('curl -s $HUB')
    press('\u0003')
    expect(pressed).toEqual(['quit'])
    press('k')
    await hides('curl -s $HUB')
  })

  it('q has the embedder’s label', async () => {
    const { source } = standIn(snapshotOf({ screen: 'unregistered' }))
    const { lastFrame } = render(
      <App
        speaker={source}
        colour={false}
        tmux={undefined}
        extraLines={undefined}
        extraKeys={[]}
        footer=""
        onKey={() => {}}
        onQuit={() => {}}
        quitLabel="fleet"
        size={SIZES[0]}
      />,
    )
    expect(lastFrame()).toContain('q fleet')
  })
})
