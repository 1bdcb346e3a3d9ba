import { render } from 'ink-testing-library'
import { expect } from 'vitest'
import { App, type AppProps } from '../../../simulator/screen/app.tsx'
import type { Controls, SpeakerSource } from '../../../simulator/screen/source.ts'
import { createFeed, type FeedItem } from '../../../simulator/speaker/feed.ts'
import type { SpeakerSnapshot } from '../../../simulator/speaker/snapshot.ts'
import { eventually } from '../../support/wait.ts'
import { SIZES } from './model.ts'

/** A speaker that notes what the keys do to it. */
export function standIn(initial: SpeakerSnapshot) {
  const feed = createFeed()
  const calls: string[] = []
  let snapshot = initial
  const note = (name: string) => async () => {
    calls.push(name)
  }
  const source: SpeakerSource = { subscribe: feed.subscribe, snapshot: () => snapshot }
  const controls: Controls = {
    start: () => void calls.push('start'),
    reconnect: note('reconnect'),
    cutNetwork: note('cut'),
    powerOff: note('power off'),
    powerOn: () => void calls.push('power on'),
    setFault: (fault, on) => void calls.push(`${fault} ${on}`),
    adjust: ({ volume }) => void calls.push(`volume ${volume}`),
    dismiss: () => void calls.push('dismiss'),
  }
  const tell = (...items: FeedItem[]) => {
    for (const item of items) feed.publish(item)
  }
  const become = (next: SpeakerSnapshot) => {
    snapshot = next
    tell({ atMs: 0, kind: 'event', event: { event: 'played', n: 1 } })
  }
  return { source, controls, calls, become, tell }
}

/** The live screen, once it reads keys. */
export async function show(speaker: SpeakerSource, change: Partial<AppProps> = {}) {
  const pressed: string[] = []
  const copied: string[] = []
  const screen = render(
    <App
      speaker={speaker}
      colour={false}
      tmux={undefined}
      extraLines={undefined}
      extraKeys={[{ key: 'p', label: 'pay again' }]}
      footer=""
      onKey={(key) => pressed.push(key)}
      onQuit={() => pressed.push('quit')}
      copy={(text) => copied.push(text)}
      size={SIZES[1]}
      {...change}
    />,
  )
  const { stdin, lastFrame } = screen
  await eventually(() => expect(lastFrame()).toContain('q quit'))
  const shows = (text: string) => eventually(() => expect(lastFrame()).toContain(text))
  const hides = (text: string) => eventually(() => expect(lastFrame()).not.toContain(text))
  const press = (...keys: string[]) => {
    for (const key of keys) stdin.write(key)
  }
  return { ...screen, pressed, copied, shows, hides, press }
}
