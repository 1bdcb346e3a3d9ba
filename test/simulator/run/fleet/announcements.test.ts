import { expect, it } from 'vitest'
import { Announcements } from '../../../../simulator/run/fleet/model/announcements.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'

function announcementsOf() {
  const announcements = new Announcements()
  const arrives = (n: number, atMs: number) => {
    const message = { topic: 'down', bytes: 1, frame: '', t: 'announce', n } as const
    announcements.on(0, { atMs, kind: 'packet', note: { direction: 'in', packet: 'publish', message } })
  }
  const happens = (event: SpeakerEvent, atMs: number) => announcements.on(0, { atMs, kind: 'event', event })
  const starts = (n: number, atMs: number) =>
    happens(
      { event: 'announce', n, amount: `${n}000`, currency: 'VND', text: '', lang: 'vi', clips: '' },
      atMs,
    )
  return { arrives, happens, starts }
}

it('a sentence that waits for another one was queued until the end of that one', () => {
  const { arrives, happens, starts } = announcementsOf()
  arrives(1, 100)
  expect(starts(1, 105)).toEqual({ amount: '1000', startedAtMs: 105, arrivedAtMs: 100, queuedMs: 0 })
  arrives(2, 200)
  arrives(3, 300)
  happens({ event: 'played', n: 1 }, 2_000)
  expect(starts(2, 2_001)).toMatchObject({ arrivedAtMs: 200, queuedMs: 1_800 })
  // A fault ends a sentence, too.
  happens({ event: 'failed', t: 'announce', n: 2, rc: 'audio_failed' }, 3_000)
  expect(starts(3, 3_000)).toMatchObject({ arrivedAtMs: 300, queuedMs: 2_700 })
  arrives(4, 9_000)
  expect(starts(4, 9_004)).toMatchObject({ queuedMs: 0 })
})

it('the first arrival counts, unless the power was cut', () => {
  const { arrives, happens, starts } = announcementsOf()
  arrives(1, 100)
  arrives(1, 3_100)
  happens({ event: 'repeat', t: 'announce', n: 1, stage: 'received' }, 3_100)
  expect(starts(1, 3_105)).toMatchObject({ arrivedAtMs: 100 })
  arrives(1, 3_200)
  happens({ event: 'repeat', t: 'announce', n: 1, stage: 'received' }, 3_200)
  happens({ event: 'played', n: 1 }, 3_300)
  arrives(1, 3_400)
  happens({ event: 'repeat', t: 'announce', n: 1, stage: 'played' }, 3_400)
  expect(starts(1, 3_500)).toMatchObject({ arrivedAtMs: 3_500 })
  arrives(2, 4_000)
  happens({ event: 'power', on: false }, 4_001)
  arrives(2, 9_000)
  expect(starts(2, 9_001)).toMatchObject({ arrivedAtMs: 9_000 })
})
