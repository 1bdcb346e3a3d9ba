import { cleanup, render } from 'ink-testing-library'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFeed } from '../../../simulator/feed.ts'
import type { SpeakerSnapshot } from '../../../simulator/snapshot.ts'
import type { Speaker } from '../../../simulator/speaker.ts'
import { App } from '../../../simulator/ui/app.tsx'
import { snapshotOf } from './model.ts'

afterEach(cleanup)

function standIn(initial: SpeakerSnapshot) {
  const feed = createFeed()
  const calls: string[] = []
  let snapshot = initial
  const note = (name: string) => async () => {
    calls.push(name)
  }
  const speaker: Speaker = {
    serial: initial.serial,
    start: () => void calls.push('start'),
    stop: note('stop'),
    reconnect: note('reconnect'),
    cutNetwork: note('cut'),
    powerOff: note('power off'),
    powerOn: () => void calls.push('power on'),
    setFault: (fault, on) => void calls.push(`${fault} ${on}`),
    adjust: () => void calls.push('adjust'),
    dismiss: () => void calls.push('dismiss'),
    note: ({ event }) => void calls.push(event),
    subscribe: feed.subscribe,
    snapshot: () => snapshot,
  }
  const become = (next: SpeakerSnapshot) => {
    snapshot = next
    feed.publish({ atMs: 0, kind: 'happening', happening: { event: 'played', n: 1 } })
  }
  return { speaker, calls, become }
}

function show(speaker: Speaker, pressed: string[] = []) {
  return render(
    <App
      speaker={speaker}
      colour={false}
      extraLines={undefined}
      extraKeys={[{ key: 'p', label: 'pay again' }]}
      footer=""
      onKey={(key) => pressed.push(key)}
      onQuit={() => pressed.push('quit')}
    />,
  )
}

describe('the screen at work', () => {
  it('follows the speaker', async () => {
    const { speaker, become } = standIn(snapshotOf({ screen: 'connecting' }))
    const { lastFrame } = show(speaker)
    expect(lastFrame()).toContain('Đang kết nối')
    become(snapshotOf({ screen: 'paid', amount: '50000', bill: 'B-1' }))
    await vi.waitFor(() => expect(lastFrame()).toContain('ĐÃ THANH TOÁN'))
    expect(lastFrame()).toContain('played #1')
  })

  it('obeys its keys, hands over the embedder’s, and ignores the rest', async () => {
    const { speaker, calls, become } = standIn(snapshotOf({ screen: 'unregistered' }))
    const pressed: string[] = []
    const { stdin, lastFrame } = show(speaker, pressed)
    await vi.waitFor(() => expect(lastFrame()).toContain('q quit'))
    for (const key of ['r', 'd', 'x', 'p', 'z', 'q']) stdin.write(key)
    expect(calls).toEqual(['reconnect', 'dismiss', 'cut'])
    expect(pressed).toEqual(['p', 'quit'])
    become(snapshotOf({ screen: 'unregistered' }, { link: 'offline' }))
    stdin.write('x')
    expect(calls.at(-1)).toBe('start')
    stdin.write('?')
    await vi.waitFor(() => expect(lastFrame()).toContain('pull the network cable'))
  })
})
